// A button in each password field that shows what was typed: <input type="password" data-show="Show password">.
// Without this module it is an ordinary field.

const namespace = "http://www.w3.org/2000/svg";

/** An eye; its line is drawn while the password is hidden. */
function eye() {
    const drawing = document.createElementNS(namespace, "svg");
    drawing.setAttribute("viewBox", "0 0 24 24");
    drawing.setAttribute("aria-hidden", "true");
    for (const shape of ["M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12z", "M9.500 12a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0", "M4 20L20 4"]) {
        const path = document.createElementNS(namespace, "path");
        path.setAttribute("d", shape);
        drawing.append(path);
    }
    return drawing;
}

for (const field of document.querySelectorAll("input[data-show]")) {
    const frame = document.createElement("span");
    frame.className = "revealable";
    field.replaceWith(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", field.dataset.show);
    button.setAttribute("aria-pressed", "false");
    button.append(eye());
    const focused = field.autofocus;
    frame.append(field, button);
    if (focused) field.focus();
    button.addEventListener("click", () => {
        const isShown = field.type === "password";
        field.type = isShown ? "text" : "password";
        button.setAttribute("aria-pressed", String(isShown));
    });
    // A shown password must not be offered by the browser as something typed before.
    field.form?.addEventListener("submit", () => {
        field.type = "password";
        button.setAttribute("aria-pressed", "false");
    });
}
