import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// People who were deleted after a backup that is restored.
@Suite struct RestoredDeletionsTests {
    @Test(arguments: Installation.Store.allCases)
    func `Who was deleted after the backup stays deleted on a new machine, and their vote still counts`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let folder = installation.directory.path("backups")
            let settings = ["BACKUP_DIR": folder]
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let gone = team.voters[0]
            let picture = ProfilePicture(uploadedAt: Date())
            let pictures = ObjectStoreUnderTest.folder(installation.directory.path("data/objects"))
            let image = StoredObject(mediaType: "image/webp", bytes: Array("a picture".utf8))
            for key in picture.keys { try await pictures.put(image, at: key) }
            _ = try await installation.withStores {
                try await $0.replacePicture(of: gone.userID, by: picture, at: Date())
            }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url)
            for voter in team.voters.prefix(3) {
                #expect(try await team.vote(voter, at: url, sprint: sprint.label).status == 201)
            }
            let made = try await installation.run(.worker, "--once", settings: settings)
            #expect(made.status == 0 && made.log.contains("Made a backup"), "\(made.log)")
            try await installation.withStores { try await team.delete(gone, with: picture, in: $0) }
            // In the next hour, in which the job for the list is due again.
            let later = (Date.now + 3_600).formatted(.iso8601)
            #expect(try await installation.run(.worker, "--once", "--now", later, settings: settings).status == 0)
            server.terminate()
            #expect(try await server.untilEnd() == 0)

            try await installation.loseStore()
            let backup = try #require(try Self.backup(in: folder))
            let list = "\(folder)/\(DeletionList.name)"
            let bytes = try Data(contentsOf: URL(filePath: list))
            #expect(!String(decoding: bytes, as: UTF8.self).contains(gone.userID.description))

            func expectRejection(
                _ words: String, _ settings: [String: String], _ options: String...,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let arguments = ["restore"] + options + [backup]
                let refused = try await ServerProcess.run(
                    .api, arguments, settings: installation.settings.merging(settings) { $1 },
                    in: installation.directory)
                #expect(
                    refused.status == 1 && refused.output.isEmpty && refused.log.contains(words)
                        && refused.log.contains("--without-deletions"), "\(refused.log)",
                    sourceLocation: sourceLocation)
            }
            try await expectRejection("BACKUP_DIR is not set", [:])
            let others = ["BALLOT_SECRET": "another secret of tests that keys the receipts"]
            try await expectRejection(
                "was written with another BALLOT_SECRET", settings.merging(others) { $1 }, "--with-other-secrets")
            var flipped = bytes
            flipped[flipped.count / 2] ^= 1
            try flipped.write(to: URL(filePath: list))
            try await expectRejection("The list of deletions in BACKUP_DIR is damaged.", settings)
            try FileManager.default.removeItem(atPath: list)
            try await expectRejection("There is no list of deletions beside the backups.", settings)

            try bytes.write(to: URL(filePath: list))
            let restored = try await installation.run(.api, "restore", backup, settings: settings)
            #expect(restored.status == 0, "\(restored.log)")
            #expect(restored.output.contains("1 account, 0 teams, 0 pictures."), "\(restored.output)")
            try await installation.withStores { stores in
                #expect(try await stores.user(gone.userID) == nil)
                #expect(try await stores.members(of: team.id).count == 4)
                let record = try #require(try await stores.sprint(sprint.key))
                #expect(record.state.current.count == 3)
                let counted = try await team.counted(in: sprint.key, stores: stores).map(\.userID)
                #expect(counted == [team.voters[1].userID, team.voters[2].userID])
            }
            // Its receipts and ballots match.
            #expect(try await installation.run(.api, "check", settings: settings).status == 0)
            let back = try await installation.run(.api, "backups", "restore-pictures", settings: settings)
            #expect(back.output == "Restored 0 picture files.\n", "\(back)")
            // The new store knows it, if the list is lost, too.
            let known = try await installation.withStores { try await $0.deletions() }
            let hash = Deletion.hash(of: .account(gone.userID), secret: team.secret)
            #expect(known.map(\.hash).contains(hash))

            try await installation.loseStore()
            try FileManager.default.removeItem(atPath: list)
            let without = try await installation.run(
                .api, "restore", "--without-deletions", backup, settings: settings)
            #expect(without.status == 0, "\(without.log)")
            let user = try await installation.withStores { try await $0.user(gone.userID) }
            #expect(user != nil)
        }
    }

    /// As after a crash between the deletion and the next job, or while the bucket is away.
    @Test(arguments: Installation.Store.allCases)
    func `A deletion that no list has yet is taken from the store that is replaced`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let folder = installation.directory.path("backups")
            let settings = ["BACKUP_DIR": folder]
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let (server, _) = try await installation.serve()
            let made = try await installation.run(.worker, "--once", settings: settings)
            #expect(made.status == 0 && made.log.contains("Made a backup"), "\(made.log)")
            try await installation.withStores { try await team.delete(team.voters[0], in: $0) }
            if store == .sqlite {
                try await server.kill()
            } else {
                // Not killed: the restore would wait for a killed process, for up to a minute.
                server.terminate()
                #expect(try await server.untilEnd() == 0)
            }
            let backup = try #require(try Self.backup(in: folder))
            // Repeating it finds the same, and also without the folder.
            for settings: [String: String] in [settings, settings, [:]] {
                let restored = try await installation.run(.api, "restore", backup, settings: settings)
                #expect(restored.status == 0, "\(restored.log)")
                #expect(restored.output.contains("1 account, 0 teams, 0 pictures."), "\(restored.output)")
                let user = try await installation.withStores { try await $0.user(team.voters[0].userID) }
                #expect(user == nil)
            }
        }
    }

    /// The earliest backup in a folder.
    private static func backup(in folder: String) throws -> String? {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().first { $0.hasPrefix("happiness-") }
            .map { "\(folder)/\($0)" }
    }
}

extension VotingTeam {
    /// Deletes a voter's account as the product does.
    fileprivate func delete(
        _ voter: Voter, with picture: ProfilePicture? = nil, in stores: Stores
    ) async throws {
        let traces = AccountTraces(
            userID: voter.userID, teamIDs: [id], invitationIDs: [], registrationID: nil, picture: picture?.id,
            failureKeys: [])
        try await stores.delete(
            id: voter.userID, ifPictureIs: picture?.id, ifAdmin: nil, secret: secret,
            enqueueing: traces.removal(at: Date()))
    }
}
