// A vote service of the usual design, to compare with: Express, the MongoDB driver and one process of Node.
//
//   PORT=… MONGODB_URL=… JWT_SECRET=… node server.js
//
// A vote is a chain of awaited calls: find the user, look for an earlier vote of theirs, insert the vote, read the
// sprint's aggregate, and write it back. Concurrent votes can therefore overwrite each other's values, and concurrent
// requests of one user can both count. The product allows neither.

"use strict";

const crypto = require("crypto");
const express = require("express");
const { MongoClient } = require("mongodb");

const { PORT, MONGODB_URL, JWT_SECRET } = process.env;
// Each write waits until the majority has it in its journal, as in the product. Of 5, 10, 32 and 100 connections, it was
// fastest with 10 and 32.
const MONGODB_OPTIONS = { useUnifiedTopology: true, poolSize: 32, writeConcern: { w: "majority", j: true } };

/** The claims of a valid token (RFC 7519) that is signed with HS256; otherwise undefined. */
function verifiedClaims(token) {
    const [header, claims, signature, ...rest] = token.split(".");
    if (!signature || rest.length > 0) return undefined;
    const expected = crypto.createHmac("sha256", JWT_SECRET).update(`${header}.${claims}`).digest();
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !crypto.timingSafeEqual(given, expected)) return undefined;
    if (JSON.parse(Buffer.from(header, "base64url")).alg !== "HS256") return undefined;
    const found = JSON.parse(Buffer.from(claims, "base64url"));
    return found.exp > Date.now() / 1000 ? found : undefined;
}

/** Express 4 does not pass on errors of async functions itself. */
const handler = (action) => (request, response, next) => action(request, response, next).catch(next);

async function serve() {
    const client = await MongoClient.connect(MONGODB_URL, MONGODB_OPTIONS);
    const database = client.db();
    const users = database.collection("users");
    const votes = database.collection("userSprints");
    const aggregates = database.collection("happiness");

    const authenticate = handler(async (request, response, next) => {
        const token = (request.headers.authorization || "").replace(/^Bearer /, "");
        const claims = verifiedClaims(token);
        request.user = claims && (await users.findOne({ _id: claims.sub }));
        if (!request.user) return response.status(401).json({ message: "Please log in." });
        next();
    });

    const track = handler(async (request, response) => {
        const { happiness, feedback } = request.body;
        const { sprint } = request.query;
        if (typeof sprint !== "string") return response.status(400).json({ message: "Missing sprint" });
        if (typeof happiness !== "number" || !(happiness >= 0 && happiness <= 10)) {
            return response.status(400).json({ message: "Incorrect Happiness" });
        }

        const { _id: user, team } = request.user;
        const hasVoted = await votes.findOne({ user, sprint });
        if (hasVoted) return response.status(400).json({ message: "Already voted!" });
        await votes.insertOne({ user, sprint });

        const found = (await aggregates.findOne({ team, sprint })) || { votes: 0, sum: 0, feedbacks: [] };
        const changed = { votes: found.votes + 1, sum: found.sum + happiness, feedbacks: found.feedbacks };
        changed.happiness = changed.sum / changed.votes;
        if (feedback) changed.feedbacks.push(feedback);
        await aggregates.updateOne({ team, sprint }, { $set: changed }, { upsert: true });
        response.json({ message: "Thank you!", happiness: changed.happiness });
    });

    const app = express();
    app.use(express.json());
    app.get("/health/live", (request, response) => response.json({ message: "ok" }));
    app.post("/happiness/track", authenticate, track);
    app.use((error, request, response, next) => {
        console.error(error.name, error.code || "");
        response.status(error.status || 500).json({ message: "Internal error" });
    });
    app.listen(Number(PORT), "127.0.0.1");
}

serve().catch((error) => {
    console.error(error.name, error.code || "");
    process.exit(1);
});
