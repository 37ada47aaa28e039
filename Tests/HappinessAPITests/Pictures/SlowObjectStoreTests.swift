import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import ObjectStorage
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A bucket that accepts requests but does not respond.
@Suite struct SlowObjectStoreTests {
    /// Enough for ten votes.
    private static let timing = S3Timing(
        deadline: .seconds(4), attemptDeadline: .seconds(2), attempts: 2, firstWait: .milliseconds(1),
        longestWait: .milliseconds(2))

    @Test(.thorough) func `Votes go on, and the upload is refused and leaves nothing`() async throws {
        try await ObjectStoreUnderTest.withFaultyBucket(timing: Self.timing) { proxy, objects in
            try await TestApp.with(objects: objects) { app in
                let team = try await app.makeTeam(members: 11)
                let uploader = team.lead
                // Four objects with two attempts each.
                for _ in 0..<8 { proxy.fail(.hang) }
                async let upload = app.upload(TestApp.png, token: uploader.token)
                for member in team.members.dropFirst() {
                    #expect(try await app.vote(member, in: team).status == .created)
                }
                let second = try await app.upload(TestApp.png, token: uploader.token)
                expectRejection(second, 409, saying: "already uploading")
                expectRejection(try await upload, 503, saying: "Pictures aren’t available")
                #expect(try await app.storedKeys().isEmpty && app.uploadsOnDisk().isEmpty)
                #expect(try await app.stores.user(uploader.user.id)?.picture == nil)
            }
        }
    }
}
