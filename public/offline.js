// The offline page: applies the chosen theme, and reloads as soon as there is a connection again. The page is not drawn
// before this has run (`blocking`), so that the wrong theme is never visible.

const theme = document.cookie.match(/(?:^|;\s*)theme=(light|dark)(?:;|$)/)?.[1];
if (theme) document.documentElement.dataset.theme = theme;

addEventListener("online", () => location.reload());
