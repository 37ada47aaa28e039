/* Moves a face between values. The drawing contains its poses: see `Face` on the server. */

/** Milliseconds from one value to the next. */
const duration = 380;
const number = /-?\d+(?:\.\d+)?/g;

export class MovingFace {
    #parts;
    #poses;
    #shown;
    #frame;

    /**
     * @param {SVGElement} drawing
     * @param {number | null} happiness the value shown, 0 to 10
     */
    constructor(drawing, happiness) {
        this.drawing = drawing;
        this.#parts = [...drawing.querySelectorAll("[data-moves]")];
        this.#poses = drawing.dataset.poses.split("|").map((pose) => pose.split(";"));
        this.#shown = happiness;
    }

    /** Moves to a value; at once for users who prefer reduced motion. */
    show(happiness) {
        cancelAnimationFrame(this.#frame);
        this.drawing.classList.remove("asleep");
        const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (isStill || this.#shown === null) {
            this.#shown = happiness;
            this.#draw(happiness);
            return;
        }
        const from = this.#shown;
        const start = performance.now();
        const step = (now) => {
            const share = Math.min(Math.max((now - start) / duration, 0), 1);
            this.#shown = from + (happiness - from) * (1 - (1 - share) ** 3);
            this.#draw(this.#shown);
            if (share < 1) this.#frame = requestAnimationFrame(step);
        };
        this.#frame = requestAnimationFrame(step);
    }

    #draw(happiness) {
        const place = (happiness / 10) * (this.#poses.length - 1);
        const index = Math.min(Math.floor(place), this.#poses.length - 2);
        for (const [i, part] of this.#parts.entries()) {
            const text = between(this.#poses[index][i], this.#poses[index + 1][i], place - index);
            part.setAttribute(part.dataset.moves, text);
        }
    }
}

/** The first text with each number moved by `share` towards the second text's number. */
function between(first, second, share) {
    const ends = second.match(number);
    let i = 0;
    return first.replace(number, (text) => {
        const value = Number(text) + (Number(ends[i++]) - Number(text)) * share;
        return String(Math.round(value * 100) / 100);
    });
}
