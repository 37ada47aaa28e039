/*
 * Restores what a user wrote while they were logged out, in the window in which they wrote it. Without this module they
 * log in in another window. During the log-in, the form is in the window's own storage: sealed by the server, which
 * opens it for its sender only, and deleted when it was restored or the window is closed.
 */
const storageKey = `happiness.kept-form${document.documentElement.dataset.root ?? ""}`;

const kept = document.querySelector("#kept");
if (kept) leaveFromHere(kept.value, document.querySelector("#log-in-again"));
else bringBack(document.querySelector("#bring-back"));

/** Before the log-in: the link opens in this window if the form fits into the storage. */
function leaveFromHere(form, link) {
    if (!keep(form)) return;
    forget();
    link.removeAttribute("target");
    link.querySelector(".unseen").remove();
    link.addEventListener("click", () => keep(form));
}

/** After the log-in: shows the stored form again. */
function bringBack(form) {
    const waiting = read();
    if (!waiting) return;
    forget();
    form.elements.kept.value = waiting;
    form.submit();
}

function keep(form) {
    try {
        sessionStorage.setItem(storageKey, form);
        return true;
    } catch {
        return false;
    }
}

function read() {
    try {
        return sessionStorage.getItem(storageKey);
    } catch {
        return null;
    }
}

function forget() {
    sessionStorage.removeItem(storageKey);
}
