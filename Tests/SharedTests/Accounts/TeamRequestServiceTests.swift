import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// People without a team, who tell the administrators.
@Suite struct TeamRequestServiceTests {
    private func principal(_ accounts: Accounts, _ name: String = "Anna") async throws -> Principal {
        try await accounts.authenticate(try await accounts.logIn(name).accessToken)
    }

    private func mails(_ accounts: Accounts) async throws -> Set<String> {
        let jobs = try await accounts.stores.jobs.list(state: nil, limit: 200)
        return Set(jobs.filter { $0.kind == MailJobKind.teamRequest.rawValue }.map(\.payload))
    }

    @Test(arguments: StoreUnderTest.all)
    func `Each active admin gets one mail a day about a person`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let requests = TeamRequestService(stores: stores, clock: accounts.clock.wall)
            let anna = try await accounts.addUser()
            let admins = [
                try await accounts.addUser("Ada", role: .admin), try await accounts.addUser("Bob", role: .admin),
            ]
            let disabled = try await accounts.addUser("Carl", role: .admin)
            try await accounts.users.setDisabled(true, of: disabled.id, by: .operator)
            let caller = try await principal(accounts)
            for _ in 0..<3 { try await requests.ask(by: caller) }
            #expect(
                try await mails(accounts)
                    == Set(admins.map { #"{"adminID":"\#($0.id)","userID":"\#(anna.id)"}"# }))
            #expect(try await stores.jobs.list(state: nil, limit: 200).count == 2)
            accounts.clock.advance(by: TeamRequestService.window + 1)
            try await requests.ask(by: try await principal(accounts))
            #expect(try await stores.jobs.list(state: nil, limit: 200).count == 4)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Who is in a team asks nobody, and many people do not flood the admins`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let requests = TeamRequestService(stores: stores, clock: accounts.clock.wall)
            try await accounts.addUser("Ada", role: .admin)
            let anna = try await accounts.addUser()
            let team = try await accounts.teams.add(name: "Blue", by: .operator)
            try await stores.add(Membership(teamID: team.id, userID: anna.id))
            try await requests.ask(by: try await principal(accounts))
            #expect(try await mails(accounts).isEmpty)
            // The places of everybody are taken, as by sixty other people.
            let bert = try await accounts.addUser("Bert")
            for number in 0..<TeamRequestService.limit {
                let other = try await accounts.addUser("P\(number)")
                try await requests.ask(by: Principal(userID: other.id, sessionID: .random()))
            }
            let refused = try await rejection {
                try await requests.ask(by: Principal(userID: bert.id, sessionID: .random()))
            }
            #expect(refused?.reason == .tooManyMessages)
            #expect(try await mails(accounts).count == TeamRequestService.limit)
        }
    }
}
