import Domain
import Foundation
import TestSupport
import Testing

/// The real programs with a bucket that is unavailable, intermittent or misconfigured.
@Suite struct ObjectStoreOutageTests {
    @Test func `An unavailable object store affects pictures and nothing else`() async throws {
        let store = try await ObjectStoreServer.start()
        let settings = store.environment(bucket: try await store.makeBucket())
        try await Installation.with(.mongodb) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(3, in: stores)
                let (first, firstURL) = try await installation.serve(settings)
                #expect(try await upload(for: team.voters[0], at: firstURL).status == 200)
                store.kill()
                let refused = try await upload(for: team.voters[0], at: firstURL)
                #expect(refused.status == 503 && refused.retryAfter != nil, "\(refused)")
                #expect(refused.text.contains("Pictures aren’t available right now"))
                let sprint = try await team.runningSprint(at: firstURL).label
                #expect(try await team.vote(team.voters[0], at: firstURL, sprint: sprint).status == 201)
                try await first.kill()

                let (second, secondURL) = try await installation.serve(settings)
                #expect(second.log.contains("The object store is unavailable"))
                #expect(try await team.vote(team.voters[1], at: secondURL, sprint: sprint).status == 201)
                try await second.kill()
            }
        }
    }

    @Test(arguments: [
        ("S3_BUCKET", "no-such-bucket", "The object store has no bucket of the name in S3_BUCKET (404 NoSuchBucket)"),
        ("S3_REGION", "us-east-1", "S3_REGION must be \(ObjectStoreServer.region), where the bucket in S3_BUCKET is"),
        ("S3_SECRET_ACCESS_KEY", "another secret", "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY do not belong together"),
        ("S3_ACCESS_KEY_ID", "test:nobody", "S3_ACCESS_KEY_ID"),
    ])
    func `A wrongly configured store ends the start with one line`(
        key: String, value: String, words: String
    ) async throws {
        let store = try await ObjectStoreServer.shared
        var settings: [String: String?] = store.environment(bucket: try await store.makeBucket())
        settings[key] = value
        settings["PORT"] = "0"
        try await Installation.with(.sqlite) { [settings] installation in
            for refused in [
                try await installation.run(.api, settings: settings),
                try await installation.run(.worker, "--once", settings: settings),
            ] {
                #expect(refused.status > 0)
                let lines = refused.log.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
                #expect(lines.count == 1 && lines.first?.contains(words) == true, "\(refused.log)")
                #expect(!refused.log.contains("secret"), "\(refused.log)")
            }
        }
    }

    @Test func `A bucket of pictures is one installation's, and a second one runs without changing it`() async throws {
        let store = try await ObjectStoreServer.shared
        let settings = store.environment(bucket: try await store.makeBucket())
        try await Installation.with(.sqlite) { one in
            try await Installation.with(.sqlite) { other in
                let (server, _) = try await one.serve(settings)
                try await server.kill()
                var others: [String: String?] = settings
                others["BALLOT_SECRET"] = "another secret of tests that keys the receipts"
                others["PORT"] = "0"
                let words = "S3_BUCKET, or the folder objects in DATA_DIR, has the pictures of another installation"
                // Votes and mails do not wait for the right bucket.
                let (second, url) = try await other.serve(others.compactMapValues { $0 })
                #expect(second.log.contains("Pictures are read-only") && second.log.contains(words), "\(second.log)")
                let team = try await other.withStores { try await VotingTeam.make(2, in: $0) }
                #expect(try await upload(for: team.voters[0], at: url).status == 503)
                try await second.kill()
                let worker = try await other.run(.worker, "--once", settings: others)
                #expect(
                    worker.log.contains("Pictures are read-only") && !worker.log.contains("Error: "), "\(worker.log)")
                let doctor = try await other.run(.api, "doctor", settings: others)
                #expect(doctor.status == 1 && doctor.output.contains("fault   pictures  \(words)"), "\(doctor)")
                // The owner goes on.
                let owner = try await one.run(.worker, "--once", settings: settings)
                #expect(owner.status == 0, "\(owner.log)")
            }
        }
    }

    private func upload(for voter: VotingTeam.Voter, at url: String) async throws -> HTTPProbe.Response {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let picture = try Data(
            contentsOf: tests.deletingLastPathComponent().appending(path: "public/default-picture.png"))
        let form =
            Array("--b\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n".utf8) + picture
            + Array("\r\n--b--\r\n".utf8)
        return try await HTTPProbe.post(
            "\(url)/user/uploadProfilePicture", token: voter.token, type: "multipart/form-data; boundary=b",
            bytes: form)
    }
}
