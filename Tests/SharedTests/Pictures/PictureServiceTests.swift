import Foundation
import Logging
import Ports
import Storage
import TestSupport
import Testing

@testable import Domain
@testable import Services

/// Picture uploads and what may interfere.
@Suite struct PictureServiceTests {
    private static func service(
        _ own: OwnAccounts, maker: any PictureMaker = BlankMaker(), clock: WallClock? = nil
    ) -> PictureService {
        PictureService(
            stores: own.stores, objects: own.objects, maker: maker,
            secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret), clock: clock ?? own.accounts.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// After its objects are stored and before the account refers to it, a picture has no owner; it must not be deleted
    /// as an orphan, nor become valid late.
    @Test func `A picture that took too long to store never appears`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            let clock = own.accounts.clock
            let pictures = Self.service(
                own,
                clock: WallClock {
                    defer { clock.advance(by: PictureService.longestStorage) }
                    return clock.now
                })
            await #expect(throws: AppError.picturesUnavailable) {
                _ = try await pictures.replace(of: anna.principal, with: "/dev/null")
            }
            #expect(try await own.stores.user(anna.user.id)?.picture == nil)
            #expect(try await own.objects.list(prefix: "", after: nil, limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all, ObjectStoreUnderTest.all)
    func `A picture of an account deleted in the meantime is removed`(
        store: StoreUnderTest, kind: ObjectStoreUnderTest
    ) async throws {
        try await kind.withStore { objects in
            try await OwnAccounts.with(store, objects: objects) { own in
                let anna = try await own.signIn("Anna")
                let accounts = own.service
                let pictures = Self.service(
                    own, maker: BlankMaker { try await accounts.delete(anna.principal, proof: .token) })
                await #expect(throws: AppError.sessionEnded) {
                    _ = try await pictures.replace(of: anna.principal, with: "/dev/null")
                }
                #expect(try await objects.list(prefix: "", after: nil, limit: 10).isEmpty)
            }
        }
    }

    /// Whichever comes first, and at any moment.
    @Test(arguments: StoreUnderTest.all, ObjectStoreUnderTest.all)
    func `Uploads that race the deletion of their account leave no object`(
        store: StoreUnderTest, kind: ObjectStoreUnderTest
    ) async throws {
        try await kind.withStore { objects in
            try await OwnAccounts.with(store, objects: objects) { own in
                let (pictures, accounts) = (Self.service(own), own.service)
                for number in 0..<8 {
                    let anna = try await own.signIn("anna\(number)")
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<3 {
                            group.addTask {
                                do {
                                    _ = try await pictures.replace(of: anna.principal, with: "/dev/null")
                                } catch let error as AppError where error == .sessionEnded {
                                    // The deletion was faster.
                                }
                            }
                        }
                        group.addTask {
                            // So that it is early in one round and late in another.
                            for _ in 0..<(number * 4) { _ = try await objects.get(.none) }
                            try await accounts.delete(anna.principal, proof: .token)
                        }
                        try await group.waitForAll()
                    }
                }
                try await own.workOff()
                #expect(try await objects.list(prefix: "", after: nil, limit: 10).isEmpty)
                #expect(try await own.stores.jobs.list(state: nil, limit: 10).isEmpty)
            }
        }
    }
}

extension ObjectKey {
    /// The key of no object.
    fileprivate static let none = ObjectKey(unchecked: "none")
}
