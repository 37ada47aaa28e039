import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Restores that die.
@Suite struct RestoreCrashTests {
    /// What the programs find after a restore was killed.
    private enum Outcome: Hashable {
        /// The store as it was before, with its latest votes.
        case old
        /// The store of the backup.
        case new
        /// They ask for the restore to be repeated.
        case rejected
    }

    @Test(.thorough, arguments: Installation.Store.allCases)
    func `A restore that is killed at any of its system calls loses no acknowledged vote, and brings nobody back`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let killing = try await KillAtCall.make(in: installation.directory)
            let backup = installation.directory.path("backup")
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let gone = User(name: try UserName("gone"), email: try EmailAddress("gone@example.org"))
            try await installation.withStores { try await $0.insert(gone) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url)
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint.label).status == 201)
            #expect(try await installation.run(.api, "backup", backup).status == 0)
            #expect(try await team.vote(team.voters[1], at: url, sprint: sprint.label).status == 201)
            try await installation.withStores { stores in
                try await stores.delete(
                    id: gone.id, ifPictureIs: nil, ifAdmin: nil, secret: team.secret,
                    enqueueing: Job(kind: "test.traces", runAt: Date()))
            }
            let before = Set(team.voters.prefix(2).map(\.userID))
            let backedUp = Set(team.voters.prefix(1).map(\.userID))
            let state = try await OldState.keep(of: installation, store, server: server)

            var outcomes: Set<Outcome> = []
            var call = 1
            while true {
                try await state.bringBack(to: installation)
                let restored = try await installation.run(
                    .api, "restore", backup, settings: killing.settings(call: call))
                guard restored.status == -SIGKILL else {
                    #expect(restored.status == 0, "\(restored.log)")
                    break
                }
                let checked = try await installation.run(.api, "check")
                if checked.status == 0 {
                    let voted = try await Self.voted(team, in: sprint, without: gone, installation.settings)
                    #expect(voted == before || voted == backedUp, "call \(call)")
                    outcomes.insert(voted == before ? .old : .new)
                } else {
                    #expect(checked.log.contains("began and did not end"), "call \(call): \(checked.log)")
                    outcomes.insert(.rejected)
                    let repeated = try await installation.run(.api, "restore", backup)
                    #expect(repeated.status == 0, "call \(call): \(repeated.log)")
                    #expect(
                        try await Self.voted(team, in: sprint, without: gone, installation.settings) == backedUp,
                        "call \(call)")
                    if store == .sqlite {
                        let kept = try #require(repeated.output.firstMatch(of: /is kept as (.+)\. Remove/)).1
                        let previous = ["DATABASE_URL": "sqlite:\(kept)"]
                        #expect(
                            try await Self.voted(team, in: sprint, without: gone, previous) == before, "call \(call)")
                    }
                }
                call += state.step
            }
            // After a restore of MongoDB there are few calls, so perhaps none of those tried.
            let expected: Set<Outcome> = store == .sqlite ? [.old, .rejected, .new] : [.old, .rejected]
            #expect(outcomes.isSuperset(of: expected))
        }
    }

    /// The voters with a receipt, of whom there are as many as ballots.
    /// - Parameter gone: was deleted after the backup.
    private static func voted(
        _ team: VotingTeam, in sprint: Sprint, without gone: User, _ settings: [String: String]
    ) async throws -> Set<User.ID> {
        let secrets = ["JWT_SECRET": Installation.tokenSecret, "BALLOT_SECRET": Installation.receiptSecret]
        let stores = try Settings(values: secrets.merging(settings) { $1 }).store.open()
        let result: Result<Set<User.ID>, any Error>
        do {
            let voters = try await team.counted(in: sprint.key, stores: stores)
            let count = try await stores.sprint(sprint.key)?.state.current.count
            #expect(count == voters.count)
            #expect(try await stores.user(gone.id) == nil)
            result = .success(Set(voters.map(\.userID)))
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        return try result.get()
    }

    /// The store before the restore, to begin again.
    private struct OldState {
        private let store: Installation.Store
        private let copy: String

        /// Stops the server, and keeps the store as it then is.
        static func keep(
            of installation: Installation, _ store: Installation.Store, server: ServerProcess
        ) async throws -> OldState {
            let state = OldState(store: store, copy: installation.directory.path("before"))
            switch store {
            case .sqlite:
                // The latest votes are in the write-ahead log.
                try await server.kill()
                let data = installation.directory.path("data")
                #expect(FileManager.default.fileExists(atPath: "\(data)/happiness.sqlite-wal"))
                try FileManager.default.copyItem(atPath: data, toPath: state.copy)
            case .mongodb:
                #expect(try await installation.run(.api, "backup", state.copy).status == 0)
                // Not killed: the restore would wait for a killed process, for up to a minute.
                server.terminate()
                #expect(try await server.untilEnd() == 0)
            }
            return state
        }

        func bringBack(to installation: Installation) async throws {
            switch store {
            case .sqlite:
                let data = installation.directory.path("data")
                try FileManager.default.removeItem(atPath: data)
                try FileManager.default.copyItem(atPath: copy, toPath: data)
            case .mongodb:
                let restored = try await installation.run(.api, "restore", copy)
                #expect(restored.status == 0, "\(restored.log)")
            }
        }

        /// How many calls apart the restore is killed. With MongoDB it makes many of a kind: three for each collection.
        var step: Int { store == .sqlite ? 1 : 11 }
    }
}
