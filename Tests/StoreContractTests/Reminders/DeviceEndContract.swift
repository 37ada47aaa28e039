import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// A device gets no message for a user who is no longer logged in on it.
@Suite struct DeviceEndContract {
    /// How a session can end, except by deleting the account.
    enum Ending: CaseIterable {
        case logOut
        case allEnded
        case allOthersEnded
        case expiry
        case disabling
        case oneSessionTooMany
    }

    @Test(arguments: StoreUnderTest.all, Ending.allCases)
    func `However a session ends, its devices are removed`(kind: StoreUnderTest, ending: Ending) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeStranger()
            let ended = Voter(
                user: user, session: try await stores.makeSession(of: user, expires: Instants.now + Instants.day))
            let kept = Voter(user: user, session: try await stores.makeSession(of: user))
            try await stores.makeDevice(of: ended)
            try await stores.makeDevice(of: ended, .browser())
            let keptDevice = try await stores.makeDevice(of: kept)
            let othersDevice = try await stores.makeDevice(of: other)
            let imported = try await stores.makeImportedDevice(of: user)

            var left: [Device] = []
            switch ending {
            case .logOut:
                try await stores.write { try $0.endSession(ended.session.id) }
                left = [keptDevice, imported]
            case .allEnded:
                try await stores.transaction { try $0.endSessions(of: user.id, except: nil) }
                left = [imported]
            case .allOthersEnded:
                try await stores.transaction { try $0.endSessions(of: user.id, except: kept.session.id) }
                left = [keptDevice, imported]
            case .expiry:
                try await stores.write { try $0.deleteExpiredSessions(before: Instants.now + 2 * Instants.day) }
                left = [keptDevice, imported]
            case .disabling:
                try await stores.update(id: user.id, UserUpdate(isDisabled: true))
            case .oneSessionTooMany:
                let later = DeviceDays.day.adding(days: 1)
                try await stores.write { try $0.touch([kept.session.id], day: later) }
                for _ in 1..<Session.maximumPerUser {
                    try await stores.insert(
                        Session(
                            userID: user.id, device: "test", expires: kept.session.expires, lastUsed: later))
                }
                left = [keptDevice, imported]
            }
            #expect(try await stores.devices(of: user.id) == left.sorted { $0.id < $1.id })
            #expect(try await stores.devices(of: other.user.id) == [othersDevice])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deleted user's devices are removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let gone = try await stores.makeVoters(2, in: team)[0]
            try await stores.makeDevice(of: gone)
            _ = try await stores.makeImportedDevice(of: gone.user)
            try await stores.delete(id: gone.user.id)
            #expect(try await stores.devices(of: gone.user.id).isEmpty)
            #expect(try await stores.read { try $0.devices(in: team.id, after: nil, through: nil, limit: 10) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A session that has ended or is someone else's gets no device`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (voter, other) = (try await stores.makeStranger(), try await stores.makeStranger())
            let borrowed = Voter(user: voter.user, session: other.session)
            await expectRejection(.unauthenticated, reason: .sessionEnded) {
                _ = try await stores.register(borrowed.device(), limit: 20)
            }
            try await stores.write { try $0.endSession(voter.session.id) }
            await expectRejection(.unauthenticated, reason: .sessionEnded) {
                _ = try await stores.register(voter.device(), limit: 20)
            }
            #expect(try await stores.devices(of: voter.user.id).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A missing user gets no device`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let nobody = User(name: try UserName("nobody"), email: try EmailAddress("nobody@example.org"))
            await expectRejection(.notFound, reason: .noSuchUser) {
                _ = try await stores.makeImportedDevice(of: nobody)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A device registered while its session ends does not outlive it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<5 {
                let voter = try await stores.makeStranger()
                _ = try await concurrently(4) { number in
                    do {
                        if number == 0 {
                            try await stores.write { try $0.endSession(voter.session.id) }
                        } else {
                            _ = try await stores.register(voter.device(), limit: 20)
                        }
                    } catch let error as AppError {
                        #expect(number != 0 && error.reason == .sessionEnded)
                    }
                }
                #expect(try await stores.devices(of: voter.user.id).isEmpty)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `More expired sessions than fit into a transaction are all removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let expired = Instants.now - Instants.day
            let voters = try await concurrently(11) { _ in
                let user = try await stores.makeUser()
                for _ in 1..<Session.maximumPerUser { _ = try await stores.makeSession(of: user, expires: expired) }
                let voter = Voter(user: user, session: try await stores.makeSession(of: user, expires: expired))
                try await stores.makeDevice(of: voter)
                return voter
            }
            try await stores.write { try $0.deleteExpiredSessions(before: Instants.now) }
            for voter in voters {
                #expect(try await stores.sessions(of: voter.user.id, at: .distantPast).isEmpty)
                #expect(try await stores.devices(of: voter.user.id).isEmpty)
            }
        }
    }
}
