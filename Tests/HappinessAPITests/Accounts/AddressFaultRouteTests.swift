import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Mailgun's reports, and what people see of an address that takes no mails.
@Suite struct AddressFaultRouteTests {
    private static let key = "a signing key"
    private static let settings = ["MAILGUN_WEBHOOK_SIGNING_KEY": key]
    private static let path = "/webhooks/mailgun"
    private static let today = "2026-01-25"
    private static let memberKeys: Set<String> = [
        "id", "name", "displayName", "username", "role", "picture", "mailsReturn",
    ]

    /// A report about a mail that the worker has sent to this user.
    private static func report(
        _ event: String = "failed", severity: String? = "permanent", about user: User, _ app: TestApp
    ) -> MailgunWebhook {
        let code = AddressCodes(secret: app.secrets.jwt).code(of: user.email)
        return MailgunWebhook(
            event, severity: severity, recipient: user.email, variables: [AddressCodes.variable: code],
            at: app.clock.wall.now)
    }

    private static func post(_ report: MailgunWebhook, _ app: TestApp, key: String = key) async throws -> Int {
        try await app.post(path, json: report.body(signedWith: key)).status.code
    }

    private static func mark(_ user: User, _ app: TestApp) async throws {
        try await AddressFaultService(stores: app.stores, secrets: app.secrets, clock: app.clock.wall)
            .mark(user.email, as: .bounced)
    }

    private static func fault(of user: User, _ app: TestApp) async throws -> AddressFault? {
        try await app.stores.user(user.id)?.addressFault
    }

    @Test func `Permanent failures and complaints mark the recipient, and other events nobody`() async throws {
        try await TestApp.with(settings: Self.settings) { app in
            let (anna, bert) = (try await app.makeUser("anna"), try await app.makeUser("bert"))
            let others: [(String, String?)] = [("failed", "temporary"), ("delivered", nil), ("opened", nil)]
            for (event, severity) in others {
                let report = Self.report(event, severity: severity, about: anna, app)
                #expect(try await Self.post(report, app) == 200, "\(event)")
            }
            #expect(try await Self.fault(of: anna, app) == nil)
            var shouted = Self.report(about: anna, app)
            shouted.recipient = anna.email.uppercased()
            #expect(try await Self.post(shouted, app) == 200)
            #expect(try await Self.fault(of: anna, app)?.kind == .bounced)
            #expect(try await Self.fault(of: anna, app)?.since.description == Self.today)
            #expect(try await Self.post(Self.report("complained", severity: nil, about: bert, app), app) == 200)
            #expect(try await Self.fault(of: bert, app)?.kind == .complained)
            #expect(!app.log.text.contains("@example.org"))
        }
    }

    @Test func `A report that is forged, old or replayed changes nothing`() async throws {
        try await TestApp.with(settings: Self.settings) { app in
            let (anna, bert) = (try await app.makeUser("anna"), try await app.makeUser("bert"))
            let good = Self.report(about: anna, app)
            #expect(try await Self.post(good, app, key: "another key") == 406)
            let json = try good.body(signedWith: Self.key)
            let changes = [(good.token, String(good.token.reversed())), ("\(good.timestamp)", "1"), ("{", "[")]
            for (part, other) in changes {
                let response = try await app.post(Self.path, json: json.replacing(part, with: other))
                #expect(response.status.code == 406, "\(part)")
            }
            // Signed, but the code is that of another address.
            var moved = good
            moved.recipient = bert.email
            #expect(try await Self.post(moved, app) == 406)
            for seconds in [-12 * 3_600 - 1, 301] {
                var other = good
                other.timestamp += seconds
                #expect(try await Self.post(other, app) == 406, "\(seconds)")
            }
            for other in [json + String(repeating: " ", count: 70_000), ""] {
                #expect(try await app.post(Self.path, json: other).status.code == 406, "\(other.count)")
            }
            #expect(try await Self.fault(of: anna, app) == nil)
            #expect(try await Self.fault(of: bert, app) == nil)

            // Nothing of it has used up the token; the report itself does.
            #expect(try await Self.post(good, app) == 200)
            try await app.stores.update(id: anna.id, UserUpdate(liftsAddressFault: true))
            for hours in [0, 11, 2] {
                app.clock.advance(by: Double(hours) * 3_600)
                #expect(try await Self.post(good, app) == 406, "\(hours)")
            }
            #expect(try await Self.fault(of: anna, app) == nil)
        }
    }

    /// A mail server that is down for a night, or a domain without SPF, fails for all recipients alike.
    @Test func `A permanent failure that is not about the address marks nobody`() async throws {
        try await TestApp.with(settings: Self.settings) { app in
            let anna = try await app.makeUser("anna")
            let causes = [("old", ""), ("generic", "5.1.1"), ("suppress-unsubscribe", ""), ("bounce", "5.7.26")]
            for (cause, code) in causes {
                var report = Self.report(about: anna, app)
                report.cause = cause
                report.enhancedCode = code
                #expect(try await Self.post(report, app) == 200, "\(cause)")
                #expect(try await Self.fault(of: anna, app) == nil, "\(cause)")
            }
            var known = Self.report(about: anna, app)
            known.cause = "suppress-bounce"
            known.enhancedCode = ""
            #expect(try await Self.post(known, app) == 200)
            #expect(try await Self.fault(of: anna, app)?.kind == .bounced)
        }
    }

    @Test func `A mail without a code marks nobody`() async throws {
        try await TestApp.with(settings: Self.settings) { app in
            let anna = try await app.makeUser("anna")
            var report = Self.report(about: anna, app)
            report.variables = [:]
            #expect(try await Self.post(report, app) == 200)
            #expect(try await Self.fault(of: anna, app) == nil)
        }
    }

    @Test func `Without a key no report is taken`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            expectRejection(
                try await app.post(Self.path, json: Self.report(about: anna, app).body(signedWith: "")), 404)
            #expect(try await Self.fault(of: anna, app) == nil)
        }
    }

    @Test func `Leads see that mails come back, and not why`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let gone = team.members[2].user
            try await Self.mark(gone, app)
            func marks(_ member: SignedInTeam.Member, query: String = "") async throws -> [Bool?] {
                let response = try await app.get("\(team.path)/members\(query)", token: member.token)
                let members = try #require(response.object["members"] as? [[String: Any]])
                // Neither why nor since when.
                #expect(members.allSatisfy { Set($0.keys).isSubset(of: Self.memberKeys) }, "\(response.classic)")
                return members.map { $0["mailsReturn"] as? Bool }
            }
            #expect(try await marks(team.lead) == [false, false, true])
            #expect(try await marks(team.lead, query: "?limit=50").count { $0 == true } == 1)
            #expect(try await marks(team.members[1]) == [nil, nil, nil])
            #expect(try await marks(team.members[2], query: "?limit=50") == [nil, nil, nil])

            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.get("\(team.managePath)/members")
            expectPage(page, saying: "E-mails come back")
            #expect(!page.text.contains("January") && !page.text.contains(gone.email))
        }
    }

    @Test func `Leads and admins try an address again, others cannot`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let gone = team.members[2].user
            let stranger = try await app.makeTeam("Red").lead.token
            let admin = try await app.makeUser("admin", role: .admin)
            let adminToken = try await app.token(of: admin)
            let ofMember = "\(team.path)/members/\(gone.id)/address-fault"
            let ofPerson = "/api/v1/admin/people/\(gone.id)/address-fault"
            try await Self.mark(gone, app)
            expectRejection(try await app.send(.delete, ofMember, token: team.members[1].token), 403)
            expectRejection(try await app.send(.delete, ofMember, token: stranger), 404)
            expectRejection(try await app.send(.delete, ofPerson, token: team.lead.token), 403)
            let strangersID = "\(team.path)/members/\(admin.id)/address-fault"
            expectRejection(try await app.send(.delete, strangersID, token: team.lead.token), 404)
            #expect(try await Self.fault(of: gone, app) != nil)
            for (path, token) in [(ofMember, team.lead.token), (ofPerson, adminToken), (ofMember, adminToken)] {
                try await Self.mark(gone, app)
                #expect(try await app.send(.delete, path, token: token).status == .noContent)
                #expect(try await Self.fault(of: gone, app) == nil)
            }

            for (user, page, form) in [
                (team.lead.user, "\(team.managePath)/members", "user=\(gone.id)"),
                (admin, "/admin/people/\(gone.id)", ""),
            ] {
                try await Self.mark(gone, app)
                let browser = try await app.browser(of: user)
                let token = try await browser.formToken(on: page)
                let response = try await browser.post("\(page)/mail-again", form: "formToken=\(token)&\(form)")
                #expect(response.headers[.location] == "\(page)?done=mail-again", "\(response.classic)")
                expectPage(try await browser.get("\(page)?done=mail-again"), saying: "e-mail this address again")
                #expect(try await Self.fault(of: gone, app) == nil)
            }
        }
    }

    @Test func `Admins and the person see why and since when`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let gone = team.members[1]
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            try await Self.mark(gone.user, app)
            let expected = ["reason": "bounced", "since": Self.today]
            for (path, token) in [("/api/v1/admin/people/\(gone.user.id)", token), ("/api/v1/me", gone.token)] {
                let response = try await app.get(path, token: token)
                #expect(response.object["addressFault"] as? [String: String] == expected, "\(path)")
            }
            let list = try await app.get("/api/v1/admin/people?search=blue1", token: token)
            let people = try #require(list.object["people"] as? [[String: Any]])
            #expect(people.first?["addressFault"] as? [String: String] == expected)
            let export = try await app.get("/api/v1/me/export", token: gone.token)
            let account = try #require(export.object["account"] as? [String: Any])
            #expect(account["addressFault"] as? [String: String] == expected)

            let desk = try await app.browser(of: admin)
            expectPage(try await desk.get("/admin/people"), saying: "E-mails come back")
            let since = "E-mails to this address have been coming back since 25 January 2026."
            expectPage(try await desk.get("/admin/people/\(gone.user.id)"), saying: since)
            let own = try await app.browser(of: gone.user)
            expectPage(try await own.get("/settings"), saying: "E-mails come back")
            expectPage(try await own.get("/settings/email"), saying: since)
            expectPage(try await own.get(team.pagePath), saying: "E-mails to your address come back.")
            let others = try await app.browser(of: team.lead.user).get(team.pagePath)
            #expect(!others.text.contains("come back"))
        }
    }
}
