// Creates the users of server.js, and writes an access token for each.
//
//   MONGODB_URL=… JWT_SECRET=… node seed.js COUNT FILE
//
// The file gets one token a line, as from BenchmarkSeed.

"use strict";

const crypto = require("crypto");
const fs = require("fs");
const { MongoClient, ObjectId } = require("mongodb");

const { MONGODB_URL, JWT_SECRET } = process.env;
// Seconds; longer than a benchmark.
const LIFE = 86_400;

function encoded(value) {
    return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function token(sub) {
    const now = Math.floor(Date.now() / 1000);
    const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub, iat: now, exp: now + LIFE })}`;
    return `${signed}.${crypto.createHmac("sha256", JWT_SECRET).update(signed).digest("base64url")}`;
}

async function seed(count, file) {
    const client = await MongoClient.connect(MONGODB_URL, { useUnifiedTopology: true });
    const database = client.db();
    // Without them every vote would search all earlier ones. Only the second one is unique: two first votes of a sprint
    // must not create two aggregates.
    await database.collection("userSprints").createIndex({ user: 1, sprint: 1 });
    await database.collection("happiness").createIndex({ team: 1, sprint: 1 }, { unique: true });
    const users = Array.from({ length: count }, (_, index) => ({
        _id: new ObjectId().toHexString(),
        username: `voter${index}`,
        email: `voter${index}@example.org`,
        team: "voters",
    }));
    await database.collection("users").insertMany(users);
    fs.writeFileSync(file, users.map((user) => token(user._id) + "\n").join(""));
    await client.close();
}

seed(Number(process.argv[2]), process.argv[3]).catch((error) => {
    console.error(error.name, error.code || "");
    process.exit(1);
});
