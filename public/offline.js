// The page without a connection: in the theme that was chosen, and gone as soon as there is a connection again. The page
// waits for this before it is drawn (`blocking`), so that no wrong theme is seen.

const theme = document.cookie.match(/(?:^|;\s*)theme=(light|dark)(?:;|$)/)?.[1];
if (theme) document.documentElement.dataset.theme = theme;

addEventListener("online", () => location.reload());
