// Reports errors in our own scripts. Loaded by app.js on a page's first error.
//
// A report contains the type of the error, its message, and the frames of our files. It never contains the content of
// the page: on a page with a text field, or while a vote waits to be sent, the message is omitted too, and always for
// parse errors, which quote the input (`Unexpected token 'T', "The team…" is not valid JSON`). The server removes the
// rest, and stores no user name.

/** Maximum number of reports per page: a repeated error adds nothing new. */
const most = 5;

const root = document.documentElement.dataset.root ?? "";
const own = `${location.origin}${root}/assets/`;
const sent = new Set();

/**
 * @param error what was thrown
 * @param address of the script, if nothing else contains it
 * @param voteWaits whether this browser holds a vote that is still to be sent
 */
export function reportError(error, address = "", voteWaits = false) {
    const frames = framesOf(error);
    if (!frames.length && !address.startsWith(own)) return;
    const name = /^[A-Za-z]{1,40}$/.test(error?.name) ? error.name : "Error";
    const message = name === "SyntaxError" || voteWaits || mayHoldWords() ? name : `${name}: ${error?.message ?? ""}`;
    const stack = frames.join("\n");
    if (sent.size >= most || sent.has(message + stack)) return;
    sent.add(message + stack);
    // A page before the log-in has no token. Without a cookie the server takes the report all the same.
    const formToken = document.querySelector('meta[name="form-token"]')?.content;
    fetch(`${root}/api/v1/client-errors`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(formToken && { "X-Form-Token": formToken }) },
        credentials: formToken ? "same-origin" : "omit",
        body: JSON.stringify({ level: "error", app: "web", message: message.slice(0, 500), stack: stack.slice(0, 4000) }),
        // The user may be about to leave the page.
        keepalive: true,
    }).catch(() => {});
}

/** Whether a text that the user writes on this page may be involved. */
function mayHoldWords() {
    return document.querySelector("textarea, select, input:not([type=hidden])") !== null;
}

/** The stack's frames in our files: only function, file, line and column. */
function framesOf(error) {
    const lines = typeof error?.stack === "string" ? error.stack.split("\n") : [];
    return lines.map((line) => {
        // Matches `at name (URL:1:2)`, `at URL:1:2`, and `name@URL:1:2`.
        const parts = /^\s*(?:at )?(?:([\w$.<>]*) ?[(@])?(https?:\/\/\S+?):(\d+):(\d+)\)?$/.exec(line.replace(/^\s*at async /, "at "));
        if (!parts?.[2].startsWith(own)) return null;
        const file = parts[2].split("/").pop().split("?")[0];
        return `at ${parts[1] || "<anonymous>"} (${file}:${parts[3]}:${parts[4]})`;
    }).filter(Boolean).slice(0, 20);
}
