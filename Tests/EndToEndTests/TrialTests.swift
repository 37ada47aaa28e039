import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// A copy of an installation for trying something: nothing done there reaches the original or its people.
@Suite struct TrialTests {
    @Test(arguments: Installation.Store.allCases)
    func `People vote in a trial, and the original does not notice`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url).label
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint).status == 201)

            let folder = installation.directory.path("a trial")
            // The original sends mails.
            let mail = ["MAIL_DRIVER": "smtp", "MAIL_FROM": "h@example.org", "SMTP_URL": "smtp://127.0.0.1:1"]
            let port = String(try LoopbackPort.free())
            let made = try await installation.run(.api, "trial", folder, "--port", port, settings: mail)
            #expect(made.status == 0, "\(made.log)")
            // As a user pastes them, into a shell with other settings.
            let commands = made.output.matches(of: /(?m)^ +cd .* && env -i .*$/).map { String($0.output) }
            try #require(commands.count == 2, "\(made.output)")
            let pasted = commands.map { $0.replacing("&& env -i", with: "&& exec env -i") }
            #expect(try Self.rights(folder) == 0o700 && Self.rights("\(folder)/.env") == 0o600)
            let again = try await installation.run(.api, "trial", folder, settings: mail)
            #expect(again.status == 1 && again.log.contains("exists already"), "\(again.log)")

            let (copy, copyURL) = try await ServerProcess.serve(
                settings: installation.settings, in: installation.directory, shell: pasted[0])
            #expect(copyURL.hasSuffix(":\(port)"))
            #expect(try await team.vote(team.voters[0], at: copyURL, sprint: sprint).status == 409)
            #expect(try await team.vote(team.voters[1], at: copyURL, sprint: sprint).status == 201)
            #expect(try await team.vote(team.voters[1], at: url, sprint: sprint).status == 201)

            let address = try await installation.withStores { stores in
                try #require(try await stores.user(team.voters[0].userID)).email
            }
            let reset = try await HTTPProbe.post(
                "\(copyURL)/api/v1/auth/password-reset", json: #"{"email":"\#(address)"}"#)
            #expect(reset.status == 202, "\(reset.text)")
            copy.terminate()
            #expect(try await copy.untilEnd() == 0)
            let worker = try await ServerProcess.run(
                .worker, settings: installation.settings, in: installation.directory, shell: "\(pasted[1]) --once")
            #expect(worker.status == 0, "\(worker.log)")
            let mails = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/data/outbox")
            #expect(mails.contains { $0.hasSuffix(".eml") }, "\(mails)")

            try await installation.withStores { stores in
                let record = try #require(try await stores.read { try $0.sprint(of: team.id, labelled: sprint) })
                #expect(record.state.current.count == 2)
            }
            server.terminate()
            try await server.untilEnd()
        }
    }

    private static func rights(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
