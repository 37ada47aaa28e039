import Crypto
import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// The mark of an account whose present address takes no mails.
@Suite struct AddressFaultContract {
    private static let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: Voter.secret)

    private static func service(_ stores: Stores, at now: Date = Instants.now) -> AddressFaultService {
        AddressFaultService(stores: stores, secrets: secrets, clock: WallClock { now })
    }

    private static func fault(_ kind: AddressFault.Kind, at now: Date = Instants.now) -> AddressFault {
        AddressFault(kind: kind, since: CalendarDay(instant: now, in: .gmt))
    }

    @Test(arguments: StoreUnderTest.all)
    func `A mark names the account that has the address now, and stays the first one`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let (anna, bert) = (try await stores.makeUser(), try await stores.makeUser())
            try await Self.service(stores).mark(anna.email.uppercased(), as: .bounced)
            try await Self.service(stores, at: Instants.now + Instants.day).mark(anna.email, as: .complained)
            try await Self.service(stores).mark("nobody@example.org", as: .bounced)
            #expect(try await stores.user(anna.id)?.addressFault == Self.fault(.bounced))
            #expect(try await stores.user(bert.id) == bert)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new address has no mark, and a report about the old one sets none`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let anna = try await stores.makeUser()
            try await Self.service(stores).mark(anna.email, as: .complained)
            try await stores.update(id: anna.id, UserUpdate(email: .init("new@example.org", secret: Voter.secret)))
            try await Self.service(stores).mark(anna.email, as: .bounced)
            let changed = try #require(try await stores.user(anna.id))
            #expect(changed.email == "new@example.org" && changed.addressFault == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A mark ends when it is lifted or a mailed link is used, and by no other change`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let anna = try await stores.makeUser()
            func isMarked() async throws -> Bool { try await stores.user(anna.id)?.addressFault != nil }
            try await Self.service(stores).mark(anna.email, as: .bounced)
            try await stores.update(id: anna.id, UserUpdate(newPassword: "$2b$04$a", endsSessions: .all))
            try await stores.update(id: anna.id, UserUpdate(pendingEmail: .set("new@example.org")))
            #expect(try await isMarked())
            try await stores.update(id: anna.id, UserUpdate(liftsAddressFault: true))
            #expect(try await !isMarked())

            try await Self.service(stores).mark(anna.email, as: .complained)
            let (text, token) = OneTimeToken.make(
                .passwordReset, subject: anna.id.description, email: anna.email, at: Instants.now)
            try await stores.insert(token)
            #expect(try await isMarked())
            try await stores.update(
                id: anna.id,
                UserUpdate(
                    newPassword: "$2b$04$b", endsSessions: .all,
                    claim: TokenClaim(text, for: .passwordReset, at: Instants.now)))
            #expect(try await !isMarked())

            try await Self.service(stores).mark(anna.email, as: .bounced)
            let invited = try await stores.makeInvitation(to: anna.email, into: try await stores.makeTeam())
            let accepted = try await stores.transaction {
                try $0.acceptInvitation(
                    tokenHash: OneTimeToken.hash(of: invited.tokens[0]), newcomer: nil, secret: Voter.secret,
                    at: Instants.now)
            }
            #expect(accepted.user.addressFault == nil)
            #expect(try await !isMarked())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of one report sent several times at once, one is taken`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let anna = try await stores.makeUser()
            let service = Self.service(stores)
            let webhook = MailgunWebhook(
                "complained", recipient: anna.email,
                variables: [AddressCodes.variable: service.code(of: anna.email)], at: Instants.now)
            let body = Data(try webhook.body(signedWith: "signing key").utf8)
            let taken = try await concurrently(6) { _ in
                do {
                    let report = try JSONDecoder().decode(MailgunReport.self, from: body)
                    try await service.handle(report, signedWith: SecretText("signing key"))
                    return true
                } catch let error as AppError where error.code == .unprocessable {
                    return false
                }
            }
            #expect(taken.count { $0 } == 1)
            #expect(try await stores.user(anna.id)?.addressFault == Self.fault(.complained))
        }
    }
}
