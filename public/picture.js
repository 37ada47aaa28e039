// Crops a picture to a square: the user moves and zooms it, and the form sends the result as a JPEG instead of the
// chosen file. A file that the browser cannot draw is sent unchanged, and the server decides.

const MAXIMUM_BYTES = 25 * 1024 * 1024;
// Side of the uploaded square in pixels: twice the largest size the server creates, for high-resolution screens.
const SIDE = 1024;
// Pixels of the canvas by which an arrow key moves the picture.
const STEP = 16;
const MAXIMUM_ZOOM = 4;

const form = document.querySelector("[data-picture]");
const input = form.querySelector('input[type="file"]');
const crop = form.querySelector("[data-crop]");
const canvas = crop.querySelector("canvas");
const slider = crop.querySelector('input[type="range"]');
const problem = form.querySelector("[data-problem]");
const now = document.querySelector("[data-now]");

let bitmap = null;
// The centre of the square in the picture's pixels, and the zoom factor.
let middle = { x: 0, y: 0 };
let zoom = 1;
let isCut = false;

input.addEventListener("change", choose);
slider.addEventListener("input", () => setZoom(slider.value / 100));
form.addEventListener("submit", cutAndSend);

async function choose() {
    const [file] = input.files;
    problem.hidden = true;
    bitmap?.close();
    bitmap = null;
    isCut = false;
    if (file) {
        try {
            bitmap = await createImageBitmap(file);
        } catch {
            bitmap = null;
        }
    }
    crop.hidden = !bitmap;
    now.hidden = Boolean(bitmap);
    if (!bitmap) {
        if (file?.size > MAXIMUM_BYTES) refuse();
        return;
    }
    middle = { x: bitmap.width / 2, y: bitmap.height / 2 };
    setZoom(1);
    canvas.focus({ preventScroll: true });
    crop.scrollIntoView({ block: "nearest" });
}

function refuse() {
    problem.textContent = problem.dataset.tooLarge;
    problem.hidden = false;
    input.value = "";
}

/** Side of the square in pixels of the picture. */
function extent() {
    return Math.min(bitmap.width, bitmap.height) / zoom;
}

function setZoom(value) {
    zoom = Math.min(Math.max(value, 1), MAXIMUM_ZOOM);
    slider.value = Math.round(zoom * 100);
    move(0, 0);
}

/** Moves the picture by pixels of the canvas, limited by its edges. */
function move(x, y) {
    const half = extent() / 2;
    const scale = extent() / canvas.width;
    middle.x = Math.min(Math.max(middle.x - x * scale, half), bitmap.width - half);
    middle.y = Math.min(Math.max(middle.y - y * scale, half), bitmap.height - half);
    draw();
}

function draw() {
    const context = canvas.getContext("2d");
    const side = canvas.width;
    paint(context, side);
    // Pictures are shown in a circle: everything outside is dimmed.
    context.fillStyle = "rgb(0 0 0 / 0.45)";
    context.beginPath();
    context.rect(0, 0, side, side);
    context.arc(side / 2, side / 2, side / 2, 0, 2 * Math.PI, true);
    context.fill();
}

function paint(context, side) {
    const length = extent();
    // A transparent PNG needs a background, since JPEG has no transparency.
    context.fillStyle = "white";
    context.fillRect(0, 0, side, side);
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, middle.x - length / 2, middle.y - length / 2, length, length, 0, 0, side, side);
}

/** Pixels of the canvas per pixel of the screen. */
function density() {
    return canvas.width / canvas.clientWidth;
}

const fingers = new Map();

canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
});

canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const distanceBefore = spread();
    fingers.set(event.pointerId, event);
    if (fingers.size === 2 && distanceBefore > 0) setZoom((zoom * spread()) / distanceBefore);
    const share = density() / fingers.size;
    move((event.clientX - before.clientX) * share, (event.clientY - before.clientY) * share);
});

for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
}

/** Pixels of the screen between two fingers; 0 for any other number of fingers. */
function spread() {
    if (fingers.size !== 2) return 0;
    const [one, other] = fingers.values();
    return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}

canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    setZoom(zoom * Math.exp(-event.deltaY / 500));
}, { passive: false });

const keys = {
    ArrowLeft: () => move(-STEP, 0),
    ArrowRight: () => move(STEP, 0),
    ArrowUp: () => move(0, -STEP),
    ArrowDown: () => move(0, STEP),
    "+": () => setZoom(zoom * 1.1),
    "-": () => setZoom(zoom / 1.1),
};

canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
});

async function cutAndSend(event) {
    if (!bitmap || isCut) return;
    event.preventDefault();
    const square = document.createElement("canvas");
    square.width = SIDE;
    square.height = SIDE;
    paint(square.getContext("2d"), SIDE);
    const blob = await new Promise((resolve) => square.toBlob(resolve, "image/jpeg", 0.92));
    if (blob) {
        const files = new DataTransfer();
        files.items.add(new File([blob], "picture.jpg", { type: blob.type }));
        input.files = files.files;
    }
    isCut = true;
    form.requestSubmit(event.submitter);
}
