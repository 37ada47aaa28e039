// Reports what goes wrong in our own scripts. Loaded by app.js with the first error of a page.
//
// A report holds the kind of the error, what it says, and the frames of our files. It never holds what stands on the page:
// where there is a field to write in, or a vote waits to be sent, the error's own words are left out too, and everywhere
// those about what could not be read, which engines quote (`Unexpected token 'T', "The team…" is not valid JSON`). The
// server takes out the rest, and keeps nobody's name.

/** Reports of one page: an error that repeats says nothing new. */
const most = 5;

const own = `${location.origin}/assets/`;
const sent = new Set();

/**
 * @param error what was thrown
 * @param address of the script, where nothing else tells it
 */
export function reportError(error, address = "") {
    const frames = framesOf(error);
    if (!frames.length && !address.startsWith(own)) return;
    const name = /^[A-Za-z]{1,40}$/.test(error?.name) ? error.name : "Error";
    const message = name === "SyntaxError" || mayHoldWords() ? name : `${name}: ${error?.message ?? ""}`;
    const stack = frames.join("\n");
    if (sent.size >= most || sent.has(message + stack)) return;
    sent.add(message + stack);
    fetch("/api/v1/client-errors", {
        method: "POST",
        headers: {
            "Content-Type": "application/json",
            "X-Form-Token": document.querySelector('meta[name="form-token"]')?.content ?? "",
        },
        body: JSON.stringify({ level: "error", app: "web", message: message.slice(0, 500), stack: stack.slice(0, 4000) }),
        // The page may be about to be left.
        keepalive: true,
    }).catch(() => {});
}

/** Whether somebody's words can be here: written on this page, or in a vote that is kept as in unsent-vote.js. */
function mayHoldWords() {
    return document.querySelector("textarea, select, input:not([type=hidden])") !== null
        || localStorage.getItem("happiness.unsent-vote") !== null;
}

/** Lines of the stack that are in our files: function, file, line and column, and nothing else of them. */
function framesOf(error) {
    const lines = typeof error?.stack === "string" ? error.stack.split("\n") : [];
    return lines.map((line) => {
        // `at name (URL:1:2)` and `at URL:1:2`, or `name@URL:1:2`.
        const parts = /^\s*(?:at )?(?:([\w$.<>]*) ?[(@])?(https?:\/\/\S+?):(\d+):(\d+)\)?$/.exec(line.replace(/^\s*at async /, "at "));
        if (!parts?.[2].startsWith(own)) return null;
        const file = parts[2].split("/").pop().split("?")[0];
        return `at ${parts[1] || "<anonymous>"} (${file}:${parts[3]}:${parts[4]})`;
    }).filter(Boolean).slice(0, 20);
}
