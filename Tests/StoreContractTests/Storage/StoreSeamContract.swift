import Domain
import Services
import Storage
import TestSupport
import Testing

/// The three ways to the rows of a store.
@Suite struct StoreSeamContract {
    private struct Refused: Error {}

    @Test(arguments: StoreUnderTest.all)
    func `A transaction sees its own changes, and leaves none if it throws`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = User(name: try UserName("anna"), email: try EmailAddress("anna@example.org"))
            await #expect(throws: Refused.self) {
                try await stores.transaction { rows in
                    try rows.add(user)
                    guard try rows.user(user.id) == user else { return }
                    throw Refused()
                }
            }
            #expect(try await stores.user(user.id) == nil)
            try await stores.transaction { try $0.add(user) }
            #expect(try await stores.user(user.id) == user)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `One closure changes and reads several rows`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let tokens = ["one", "two"].map {
                OneTimeToken.make(.setup, subject: $0, email: "", at: Instants.now).token
            }
            try await stores.write { rows in
                for token in tokens { try rows.insert(token) }
            }
            let found = try await stores.read { rows in
                try tokens.compactMap { try rows.token(hash: $0.hash, purpose: .setup, at: Instants.now) }
            }
            #expect(found == tokens)
        }
    }
}
