import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// The address of an account whose owner logs in through a provider.
@Suite struct ProviderAddressTests {
    /// People who log in through the provider Company, which has verified their addresses.
    private struct Fixture: Sendable {
        let stores: Stores
        let service: SingleSignOnService
        let provider: OpenIDProviderSettings

        /// - Parameter trusted: whether the settings trust addresses that the provider has not verified.
        init(_ stores: Stores, trusted: Bool = false) throws {
            self.stores = stores
            service = SingleSignOnService(
                stores: stores, secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret), clock: .system)
            let settings = try Settings(values: [
                "OIDC_PROVIDERS": "company", "OIDC_COMPANY_ISSUER": "https://id.example.org",
                "OIDC_COMPANY_CLIENT_ID": "a", "OIDC_COMPANY_CLIENT_SECRET": "b", "OIDC_COMPANY_CREATE": "member",
                "OIDC_COMPANY_TRUST_EMAIL": trusted ? "yes" : "no", "OIDC_COMPANY_DOMAINS": "example.org",
            ])
            provider = try #require(settings.openID.providers.first)
        }

        func logIn(
            _ email: String, subject: String = "1", isVerified: Bool = true
        ) async throws -> ProvidedUser {
            try await service.user(
                for: ProvidedIdentity(
                    issuer: provider.issuer, subject: subject, email: email, isEmailVerified: isVerified),
                through: provider)
        }

        /// Logs in and expects this address in the store.
        func expectLogin(
            _ email: String, has expected: String, isTold: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let provided = try await logIn(email)
            let stored = try await stores.user(provided.user.id)
            #expect(provided.user == stored, sourceLocation: sourceLocation)
            #expect(stored?.email == expected, sourceLocation: sourceLocation)
            #expect(provided.keepsOtherEmail == isTold, sourceLocation: sourceLocation)
        }

        func notices() async throws -> [String] {
            try await stores.jobs.list(state: nil, limit: 100)
                .filter { $0.kind == MailJobKind.emailChanged.rawValue }.map(\.payload)
        }
    }

    private static func with(_ store: StoreUnderTest, _ body: (Fixture) async throws -> Void) async throws {
        try await store.withStores { try await body(Fixture($0)) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The account follows the provider's address, and the old one is told`(store: StoreUnderTest) async throws {
        try await Self.with(store) { fixture in
            let stores = fixture.stores
            let user = try await fixture.logIn("anna@example.org").user
            let (text, token) = OneTimeToken.make(
                .passwordReset, subject: user.id.description, email: user.email, at: Date())
            try await stores.insert(token)
            try await fixture.expectLogin("Anna@Example.org", has: "anna@example.org")
            #expect(try await fixture.notices().isEmpty)

            try await fixture.expectLogin("anna.miller@example.org", has: "anna.miller@example.org")
            let notice = #"{"oldEmail":"anna@example.org","provider":"Company","userID":"\#(user.id)"}"#
            #expect(try await fixture.notices() == [notice])
            let hash = OneTimeToken.hash(of: text)
            #expect(try await stores.read { try $0.token(hash: hash, purpose: .passwordReset, at: Date()) } == nil)
            #expect(try await stores.user(user.id)?.emailSetOn == nil, "no administrator has set it")

            // Of several log-ins at once, one changes it.
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { try await fixture.logIn("anna.m@example.org").user.email } }
                for try await email in group { #expect(email == "anna.m@example.org") }
            }
            #expect(try await fixture.notices().count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address that was chosen here stays`(store: StoreUnderTest) async throws {
        try await Self.with(store) { fixture in
            let user = try await fixture.logIn("anna@example.org").user
            try await fixture.stores.update(id: user.id, UserUpdate(email: "anna@home.example"))
            for email in ["anna@example.org", "anna.m@example.org", "anna.n@example.org"] {
                try await fixture.expectLogin(email, has: "anna@home.example")
            }
            // From then on, it is the provider's again.
            try await fixture.stores.update(id: user.id, UserUpdate(email: "anna.o@example.org"))
            try await fixture.expectLogin("anna.o@example.org", has: "anna.o@example.org")
            try await fixture.expectLogin("anna.p@example.org", has: "anna.p@example.org")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nobody's address is taken, nor a mailbox of the team`(store: StoreUnderTest) async throws {
        try await Self.with(store) { fixture in
            let stores = fixture.stores
            let anna = try await fixture.logIn("anna@example.org").user
            let bert = User(name: try UserName("Bert"), email: try EmailAddress("bert@example.org"))
            try await stores.insert(bert)
            let teams = TeamService(stores: stores, secret: TestTeam.secret, clock: .system)
            let team = try await teams.add(name: "Blue", settings: TeamSettingsChange(), by: .operator)
            for user in [anna, bert] { try await stores.add(Membership(teamID: team.id, userID: user.id)) }

            for email in ["bert@example.org", "BERT@example.org", "bert+anna@example.org"] {
                // At each log-in, until it can be changed.
                for _ in 0..<2 { try await fixture.expectLogin(email, has: "anna@example.org", isTold: true) }
            }
            #expect(try await fixture.notices().isEmpty)
            try await stores.delete(id: bert.id)
            try await fixture.expectLogin("bert@example.org", has: "bert@example.org")
        }
    }

    /// The next link for a new password would be mailed to it.
    @Test(arguments: StoreUnderTest.all)
    func `An administrator's account follows to no address that is not verified`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let fixture = try Fixture(stores, trusted: true)
            let user = try await fixture.logIn("anna@example.org", isVerified: false).user
            let followed = try await fixture.logIn("anna.m@example.org", isVerified: false)
            #expect(followed.user.email == "anna.m@example.org" && !followed.keepsOtherEmail)
            try await stores.update(id: user.id, UserUpdate(role: .admin))
            let kept = try await fixture.logIn("mallory@example.org", isVerified: false)
            #expect(kept.user.email == "anna.m@example.org" && kept.keepsOtherEmail)
            #expect(try await stores.user(user.id)?.email == "anna.m@example.org")
            let verified = try await fixture.logIn("anna.n@example.org")
            #expect(verified.user.email == "anna.n@example.org" && !verified.keepsOtherEmail)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An identity of 0.1.0 follows once its address is known`(store: StoreUnderTest) async throws {
        try await Self.with(store) { fixture in
            for (number, name) in ["anna", "bert"].enumerated() {
                let user = User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"))
                try await fixture.stores.insert(user)
                try await fixture.stores.insert(
                    ExternalIdentity(issuer: fixture.provider.issuer, subject: "\(number)", userID: user.id))
            }
            let first = try await fixture.logIn("anna@example.org", subject: "0")
            let second = try await fixture.logIn("anna.m@example.org", subject: "0")
            #expect(!first.keepsOtherEmail && second.user.email == "anna.m@example.org")
            // Perhaps he has chosen his address here, so he is told once.
            for isTold in [true, false] {
                let bert = try await fixture.logIn("bert.m@example.org", subject: "1")
                #expect(bert.user.email == "bert@example.org" && bert.keepsOtherEmail == isTold)
            }
        }
    }
}
