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

/// What people with two accounts of one mailbox see, in the API and on the pages.
@Suite struct MailboxRouteTests {
    @Test func `A mailbox that has voted is told so by every way to vote`() async throws {
        try await TestApp.with { app in
            let (team, second) = try await Self.sharingTeam(app)
            #expect(try await app.vote(team.members[1], in: team).status == .created)

            let plain = try await app.vote(second, in: team)
            expectRejection(plain, 409, saying: "A mailbox has one vote.")
            #expect(plain.object["type"] as? String == "/api#mailbox-voted")

            let key = try await app.ballotKey(of: team)
            let paper = try await app.issue(try BlindedPaper(publicKey: key.publicKey), to: second, in: team)
            expectRejection(paper, 409, saying: "A mailbox has one vote.")
            #expect(paper.object["type"] as? String == "/api#mailbox-voted")

            // The first clients know one message.
            let classic = try await app.post(
                "/happiness/track", token: second.token, json: #"{"happiness":7,"sprint":"2026/2"}"#)
            #expect(classic.classic == #"400 {"message":"Already voted!"}"#)
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test func `The pages to vote say so before anything is written`() async throws {
        try await TestApp.with { app in
            let (team, second) = try await Self.sharingTeam(app)
            let browser = try await app.browser(of: second.user)
            expectPage(try await browser.get(team.plainVotePath), saying: "How happy were you this sprint?")
            #expect(try await !browser.get(team.votePath).text.contains(">A vote has already been cast"))
            #expect(try await app.vote(team.members[1], in: team).status == .created)
            for path in [team.votePath, team.plainVotePath] {
                let page = try await browser.get(path)
                expectPage(page, saying: "A vote has already been cast from your mailbox in this sprint")
                #expect(!page.text.contains("name=\"happiness\""))
            }
            // Opened before the other vote.
            expectPage(
                try await browser.vote(in: team, "7", feedback: "kept"), 409,
                saying: "A vote has already been cast from your mailbox in this sprint")

            try await app.stores.update(id: second.user.id, UserUpdate(locale: "de"))
            expectPage(
                try await app.browser(of: second.user).get(team.votePath),
                saying: "Von deinem Postfach kam in diesem Sprint schon eine Stimme", language: "de")
        }
    }

    @Test func `Leads see who shares a mailbox, and can remove one of them`() async throws {
        try await TestApp.with { app in
            let (team, second) = try await Self.sharingTeam(app)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/members"
            let names = [team.members[1].user, second.user].sorted { $0.id < $1.id }.map(\.name)
            let page = try await browser.get(path)
            expectPage(page, saying: "The accounts \(names.joined(separator: ", ")) have the same mailbox")
            #expect(names.allSatisfy { !page.text.contains("\($0)@") } && !page.text.contains(second.user.email))
            let token = try await browser.formToken(on: path)
            let removal = try await browser.post(
                "\(path)/remove", form: "formToken=\(token)&user=\(second.user.id)")
            #expect(removal.status == .seeOther)
            #expect(try await !browser.get(path).text.contains("have the same mailbox"))
        }
    }

    @Test func `An invitation of a mailbox that is in the team is refused when it is accepted`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let token = try await app.invite("blue1+x@example.org", to: team.id)
            let json = #"{"token":"\#(token)","username":"second","password":"a quite long one"}"#
            let response = try await app.post("/api/v1/invitations/accept", json: json)
            expectRejection(response, 409, saying: "Another account with the same mailbox is already in the team.")
            #expect(response.object["type"] as? String == "/api#mailbox-in-team")
            #expect(try await app.stores.user(login: "second") == nil)

            let form = "token=\(token)&username=second&password=a+quite+long+one&repeat=a+quite+long+one"
            expectPage(
                try await app.post("/invitation", form: form), 409,
                saying: "Another account with the same mailbox is already in the team.")
            // The link stays valid, for when the other account has left.
            try await app.stores.remove(userID: team.members[1].user.id, from: team.id)
            #expect(try await app.post("/api/v1/invitations/accept", json: json).status == .created)
        }
    }

    @Test func `Nobody invites a sub-address of their own into a team of others`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let admin = try await app.makeUser("admin", role: .admin)
            let json = #"{"email":"admin+x@example.org","team":"\#(team.id)"}"#
            let response = try await app.post("/api/v1/invitations", token: app.token(of: admin), json: json)
            expectRejection(response, 422)
            #expect(response.object["type"] as? String == "/api#own-invitation")

            // Nor an address that becomes their own.
            let invitation = Invitation(
                email: "other+x@example.org", role: .member, teamID: team.id, teamRole: .lead, locale: "en",
                inviterID: admin.id, sent: CalendarDay(instant: app.clock.now, in: .gmt))
            try await app.stores.insert(invitation)
            let (text, token) = OneTimeToken.make(
                .invitation, subject: invitation.id.description, email: invitation.email, at: app.clock.now)
            try await app.stores.insert(token)
            try await app.stores.update(id: admin.id, UserUpdate(email: "other@example.org"))
            let accepted = try await app.post(
                "/api/v1/invitations/accept",
                json: #"{"token":"\#(text)","username":"second","password":"a quite long one"}"#)
            #expect(accepted.object["type"] as? String == "/api#own-invitation")
            #expect(try await app.stores.user(login: "second") == nil)
        }
    }

    @Test func `A new address in the mailbox of a colleague is not confirmed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let user = team.members[2].user
            let address = "blue1+x@example.org"
            try await app.stores.update(id: user.id, UserUpdate(pendingEmail: .set(address)))
            let token = try await app.link(.emailChange, to: user, at: address)
            expectPage(
                try await app.post("/confirm-email", form: "token=\(token)"), 409,
                saying: "Another account with the same mailbox is already in the team.")
            #expect(try await app.stores.user(user.id)?.email == user.email)
        }
    }

    @Test func `An admin cannot give a member the mailbox of a colleague`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let admin = try await app.makeUser("admin", role: .admin)
            let user = team.members[2].user
            let addresses = AddressFaultService(stores: app.stores, secrets: app.secrets, clock: app.clock.wall)
            try await addresses.mark(user.email, as: .bounced)
            let before = try #require(try await app.stores.user(user.id))
            let token = try await app.token(of: admin)
            func set(_ address: String) async throws -> TestResponse {
                try await app.send(
                    .patch, "/api/v1/admin/people/\(user.id)", token: token,
                    headers: [.contentType: "application/json"],
                    body: .init(string: #"{"email":"\#(address)","role":"guest","password":"\#(TestApp.password)"}"#))
            }
            let response = try await set("BLUE1+x@example.org")
            expectRejection(response, 409, saying: "Another account with the same mailbox is already in the team.")
            #expect(response.object["type"] as? String == "/api#mailbox-in-team")
            #expect(try await app.stores.user(user.id) == before)
            #expect(try await app.mails(.emailChanged).isEmpty)

            // Another mailbox is accepted; the mark was of the former address.
            #expect(try await set("other@example.org").status == .ok)
            let after = try #require(try await app.stores.user(user.id))
            #expect(after.email == "other@example.org" && after.role == .guest && after.addressFault == nil)
            #expect(try await app.mails(.emailChanged).count == 1)
        }
    }

    /// A team of three members, of whom the last two joined with one mailbox, before that was rejected.
    /// - Returns: the team with a lead and the first of them, and the second.
    private static func sharingTeam(_ app: TestApp) async throws -> (SignedInTeam, SignedInTeam.Member) {
        let team = try await app.makeTeam(members: 2)
        let user = try await app.makeUser("second")
        try await app.stores.update(id: user.id, UserUpdate(email: "blue1+second@example.org"))
        try await app.stores.transaction { rows in
            try rows.changeMemberCount(of: team.id, by: 1)
            try rows.insert(Membership(teamID: team.id, userID: user.id))
        }
        try await app.stores.update(id: user.id, UserUpdate(defaultTeamID: team.id))
        return (team, SignedInTeam.Member(user: user, token: try await app.token(of: user)))
    }
}
