/*
 * Pedersen commitments on the curve P-256. A commitment fixes a value without showing it: the point
 * value * H + randomness * G. The randomness hides the value, and nobody can find another value for the same point.
 *
 * After a sprint the server publishes the commitments of all votes, the sum of the values and the sum of the
 * randomness. Commitments add up like their values. So anyone can check that the result is the sum of exactly these
 * votes, and a voter's device can check that its own is among them. No commitment says anything about its value.
 *
 * Values are in tenths: happiness 7 is 70. Needs WebCrypto (see ballot-paper.js).
 */

import { toHexadecimal } from "./ballot-paper.js";

/** P-256 (SP 800-186 §3.2.1.3): y² = x³ - 3x + b modulo `prime`. It has `order` points; that is a prime as well. */
const prime = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/**
 * Points are in Jacobian coordinates: [x, y, z] is (x / z², y / z³), and z is 0 at infinity. Coordinates are between
 * -`prime` and `prime`, so each is 0 modulo `prime` only if it is 0.
 */
const infinity = [1n, 1n, 0n];
const generator = [
    0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
    1n,
];

const randomnessLength = 32;
const commitmentLength = 33;

/** What the first byte of an encoded point says about y (SEC 1 §2.3.3). */
const evenPrefix = 2;
const oddPrefix = 3;

/** Random bytes of a number from 1 to `order` - 1; each is equally likely. */
export function newRandomness() {
    for (;;) {
        const bytes = crypto.getRandomValues(new Uint8Array(randomnessLength));
        const number = toNumber(bytes);
        if (number > 0n && number < order) return bytes;
    }
}

/**
 * @param {number} value a whole number of tenths
 * @param {Uint8Array} randomness 32 bytes, big-endian, below the curve's order
 * @returns {Promise<Uint8Array>} a compressed point of 33 bytes
 * @throws {RangeError} if a number is out of range, or if both are 0: that point is at infinity
 */
export async function commit(value, randomness) {
    const point = await opened(value, randomness);
    if (!point || isInfinity(point)) throw new RangeError("There is no commitment to these numbers.");
    return encoded(point);
}

/**
 * Whether the commitments add up to a commitment to `sum` with this randomness.
 * @param {Uint8Array[]} commitments
 * @param {number} sum of the values
 * @param {Uint8Array} randomness the sum modulo the curve's order, as in `commit`
 * @returns {Promise<boolean>} also false if a commitment is no point of the curve, or if a number is out of range
 */
export async function areOpened(commitments, sum, randomness) {
    const expected = await opened(sum, randomness);
    if (!expected) return false;
    let difference = negative(expected);
    for (const commitment of commitments) {
        const point = decoded(commitment);
        if (!point) return false;
        difference = added(difference, point);
    }
    return isInfinity(difference);
}

/** The point value * H + randomness * G; `null` if a number is out of range. */
async function opened(value, randomness) {
    if (!Number.isSafeInteger(value) || value < 0 || randomness.length !== randomnessLength) return null;
    const factor = toNumber(randomness);
    if (factor >= order) return null;
    return added(multiplied(await secondGenerator(), BigInt(value)), multiplied(generator, factor));
}

let secondGeneratorFound;

/** H, computed once. */
function secondGenerator() {
    secondGeneratorFound ??= findSecondGenerator();
    return secondGeneratorFound;
}

/** Its x is a hash, so nobody knows its multiple of G. With that number, a commitment could be opened to any value. */
async function findSecondGenerator() {
    const text = new TextEncoder().encode("Happiness Metric commitment");
    for (let counter = 0; ; counter += 1) {
        const digest = await crypto.subtle.digest("SHA-256", Uint8Array.of(...text, counter));
        const point = decoded(Uint8Array.of(evenPrefix, ...new Uint8Array(digest)));
        if (point) return point;
    }
}

// Points

function isInfinity([, , z]) {
    return z === 0n;
}

function negative([x, y, z]) {
    return [x, -y, z];
}

function added(one, other) {
    if (isInfinity(one)) return other;
    if (isInfinity(other)) return one;
    const [[x1, y1, z1], [x2, y2, z2]] = [one, other];
    const [square1, square2] = [z1 * z1 % prime, z2 * z2 % prime];
    // Both points with the denominators z1² * z2² and z1³ * z2³.
    const [left, right] = [x1 * square2 % prime, x2 * square1 % prime];
    const [low, high] = [y1 * square2 % prime * z2 % prime, y2 * square1 % prime * z1 % prime];
    const [width, height] = [(right - left) % prime, (high - low) % prime];
    if (width === 0n) return height === 0n ? doubled(one) : infinity;
    const square = width * width % prime;
    const [cube, middle] = [square * width % prime, square * left % prime];
    const x = (height * height - cube - 2n * middle) % prime;
    return [x, (height * (middle - x) - low * cube) % prime, z1 * z2 % prime * width % prime];
}

/** No point has y = 0, as the order is odd. */
function doubled([x1, y1, z1]) {
    const [ySquare, zSquare] = [y1 * y1 % prime, z1 * z1 % prime];
    const slope = 3n * (x1 - zSquare) * (x1 + zSquare) % prime;
    const middle = 4n * x1 * ySquare % prime;
    const x = (slope * slope - 2n * middle) % prime;
    return [x, (slope * (middle - x) - 8n * ySquare * ySquare) % prime, 2n * y1 * z1 % prime];
}

function multiplied(point, factor) {
    let result = infinity;
    for (let double = point; factor > 0n; factor >>= 1n, double = doubled(double)) {
        if (factor & 1n) result = added(result, double);
    }
    return result;
}

/** A compressed point (SEC 1 §2.3.3). */
function encoded([x, y, z]) {
    const inverse = power(z, prime - 2n);
    const square = inverse * inverse % prime;
    const isOdd = positive(y * square % prime * inverse) & 1n;
    const digits = positive(x * square).toString(16).padStart(2 * (commitmentLength - 1), "0");
    return Uint8Array.of(isOdd ? oddPrefix : evenPrefix, ...digits.match(/../g).map((pair) => parseInt(pair, 16)));
}

/** Reads a compressed point (SEC 1 §2.3.4); `null` if the bytes are none. */
function decoded(bytes) {
    if (bytes.length !== commitmentLength || (bytes[0] !== evenPrefix && bytes[0] !== oddPrefix)) return null;
    const x = toNumber(bytes.subarray(1));
    if (x >= prime) return null;
    const square = positive((x * x - 3n) * x + b);
    // The square root if there is one, as `prime` is 3 modulo 4.
    const root = power(square, (prime + 1n) / 4n);
    if (root * root % prime !== square) return null;
    const isOdd = bytes[0] === oddPrefix;
    return [x, (root & 1n) === (isOdd ? 1n : 0n) ? root : prime - root, 1n];
}

// Numbers

/** The remainder from 0 to `prime` - 1. */
function positive(number) {
    const remainder = number % prime;
    return remainder < 0n ? remainder + prime : remainder;
}

/** Modulo `prime`. */
function power(base, exponent) {
    let result = 1n;
    for (let square = base; exponent > 0n; exponent >>= 1n, square = square * square % prime) {
        if (exponent & 1n) result = result * square % prime;
    }
    return result;
}

/** Big-endian. */
function toNumber(bytes) {
    return BigInt(`0x${toHexadecimal(bytes)}`);
}
