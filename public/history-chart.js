// Reads values off a chart: by mouse, by touch, and with arrow keys from dot to dot, or from bar to bar.
//
// The server draws each of them as a link with its text as its name, and the parts of the text as data attributes:
// `data-value`, `data-dates`, `data-facts` and, where actions began, `data-begun`. Without this module the chart is a
// picture with links.

const svgNamespace = "http://www.w3.org/2000/svg";

// Pixels: how far a finger may miss a dot.
const reach = 32;

function enhance(chart) {
    const readout = chart.querySelector(".readout");
    const status = document.querySelector("[data-chart-status]");
    for (const drawing of chart.querySelectorAll("svg")) {
        const dots = [...drawing.querySelectorAll("a")].map(link => ({ link, shape: link.firstElementChild }));
        if (dots.length > 0) read(drawing, dots, { chart, readout, status });
    }
}

function read(drawing, dots, { chart, readout, status }) {
    const guide = document.createElementNS(svgNamespace, "line");
    guide.setAttribute("class", "guide");
    guide.setAttribute("visibility", "hidden");
    const heights = [...drawing.querySelectorAll(".hm-grid")].map(line => Number(line.getAttribute("y1")));
    guide.setAttribute("y1", Math.min(...heights));
    guide.setAttribute("y2", Math.max(...heights));
    drawing.querySelector("a").before(guide);
    let chosen = null;

    // Only one dot can be reached with the Tab key; arrow keys move between them.
    dots.at(-1).link.setAttribute("tabindex", "0");

    function choose(dot) {
        if (dot === chosen) return;
        chosen?.link.classList.remove("chosen");
        chosen = dot;
        guide.setAttribute("visibility", dot ? "visible" : "hidden");
        readout.hidden = !dot;
        if (!dot) return;
        dot.link.classList.add("chosen");
        const box = dot.shape.getBBox();
        for (const name of ["x1", "x2"]) guide.setAttribute(name, box.x + box.width / 2);
        write(dot);
        place(dot);
    }

    function write(dot) {
        const { value, dates, facts, begun } = dot.link.dataset;
        const strong = document.createElement("strong");
        strong.textContent = value;
        readout.replaceChildren(strong, `${dates} · ${facts}`);
        if (begun) {
            const actions = document.createElement("span");
            actions.className = "begun";
            actions.textContent = begun;
            readout.append(actions);
        }
        readout.classList.remove("reachable");
        readout.setAttribute("aria-hidden", "true");
    }

    // Above the dot, or beside it if there is no room; always inside the chart.
    function place(dot) {
        const area = chart.getBoundingClientRect();
        const at = dot.shape.getBoundingClientRect();
        const size = readout.getBoundingClientRect();
        const middle = at.left + at.width / 2 - area.left;
        const left = Math.min(Math.max(middle - size.width / 2, 0), area.width - size.width);
        const above = at.top - area.top - size.height - 14;
        const top = above >= -8 ? above : at.bottom - area.top + 14;
        readout.style.left = `${left}px`;
        readout.style.top = `${top}px`;
    }

    function nearest(event) {
        let best = null;
        let distance = Infinity;
        for (const dot of dots) {
            const at = dot.shape.getBoundingClientRect();
            const far = Math.abs(at.left + at.width / 2 - event.clientX);
            if (far < distance) [best, distance] = [dot, far];
        }
        return distance <= reach ? best : null;
    }

    function isNear(dot, event) {
        const at = dot.shape.getBoundingClientRect();
        return Math.hypot(at.left + at.width / 2 - event.clientX, at.top + at.height / 2 - event.clientY) <= reach;
    }

    drawing.addEventListener("pointermove", event => {
        if (event.pointerType === "mouse" || event.buttons > 0) choose(nearest(event));
    });
    drawing.addEventListener("pointerleave", event => {
        if (event.pointerType === "mouse" && !drawing.contains(document.activeElement)) choose(null);
    });

    // A mouse shows the value before the click; a finger shows it first, and follows the link with a second touch.
    let touched = null;
    drawing.addEventListener("pointerdown", event => {
        if (event.pointerType === "mouse") return;
        touched = chosen;
        choose(nearest(event));
    });
    drawing.addEventListener("click", event => {
        if (event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        const dot = nearest(event);
        if (!dot) return;
        const isMouse = event.pointerType === "mouse";
        if (isMouse ? isNear(dot, event) : dot === touched && isNear(dot, event)) {
            location.href = dot.link.getAttribute("href");
            return;
        }
        choose(dot);
        if (isMouse) return;
        const { value, dates, facts, begun } = dot.link.dataset;
        status.textContent = [`${dates}: ${value}`, facts, begun].filter(Boolean).join(". ");
        const open = document.createElement("a");
        open.href = dot.link.getAttribute("href");
        open.textContent = chart.dataset.open;
        readout.append(document.createElement("br"), open);
        readout.classList.add("reachable");
        readout.removeAttribute("aria-hidden");
        place(dot);
    });

    // Screen readers read the link's own name when it gets the focus. The listener is on the frame, because Chromium's
    // Tab key stops at an SVG element with a listener.
    drawing.parentElement.addEventListener("focusin", event => {
        choose(dots.find(dot => dot.link === event.target.closest("a")) ?? null);
    });
    // Not while the focus moves to the link in the value, where a touch puts it before the click.
    chart.addEventListener("focusout", event => {
        if (!chart.contains(event.relatedTarget)) choose(null);
    });
    drawing.addEventListener("keydown", event => {
        const index = dots.findIndex(dot => dot.link === document.activeElement);
        const next = {
            ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: dots.length - 1,
        }[event.key];
        if (event.key === "Escape") choose(null);
        if (index < 0 || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const dot = dots[Math.min(Math.max(next, 0), dots.length - 1)];
        dots[index].link.setAttribute("tabindex", "-1");
        dot.link.setAttribute("tabindex", "0");
        dot.link.focus();
    });
}

function enhanceAll() {
    for (const chart of document.querySelectorAll("[data-chart]")) enhance(chart);
}

document.addEventListener("happiness:published", enhanceAll);
enhanceAll();
