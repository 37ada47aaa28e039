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

/// The pages about people, invitations, teams, deliveries and jobs.
@Suite struct AdminPagesTests {
    private static let pages = [
        "/admin/people", "/admin/people/USER", "/admin/people/USER/delete", "/admin/invitations",
        "/admin/invitations/new", "/admin/invitations/import", "/admin/teams", "/admin/teams/new",
        "/admin/teams/DOOMED/delete",
        "/admin/deliveries", "/admin/jobs", "/admin/jobs?state=done",
    ]

    /// The administrator's own, as a field of a form.
    private static let ownPassword = "password=purple%20lamp%209"

    /// All forms with fields that would be accepted, without the token.
    private static let forms = [
        ("/admin/people/USER/role", "role=guest&seen=member&\(ownPassword)"),
        ("/admin/people/USER/email", "email=other@example.org&seen=anna@example.org&\(ownPassword)"),
        ("/admin/people/USER/disabled", "disabled=true"),
        ("/admin/people/USER/end-sessions", ""), ("/admin/people/USER/password-reset", ""),
        ("/admin/people/USER/mail-again", ""),
        ("/admin/people/USER/delete", ""), ("/admin/invitations/resend", "invitation=INVITATION"),
        ("/admin/invitations/withdraw", "invitation=INVITATION"),
        ("/admin/invitations/new", "email=new@example.org&role=member&team=&teamRole=member&locale=en"),
        ("/admin/teams/new", "name=New&timeZone=Europe/Vienna"), ("/admin/teams/DOOMED/delete", "name=Doomed"),
        ("/admin/jobs/restart", "job=JOB"), ("/admin/jobs/drop", "job=JOB"),
        ("/admin/test-mail", ""), ("/admin/backup", ""),
    ]

    /// An administrator's browser, and the objects of the forms.
    private struct Office {
        let app: TestApp
        let admin: User
        let browser: Browser
        let anna: User
        let invitation: Invitation
        let job: Job
        let team: Team

        init(_ app: TestApp) async throws {
            self.app = app
            admin = try await app.makeUser("admin", role: .admin)
            browser = try await app.browser(of: admin)
            anna = try await app.makeUser("anna")
            invitation = Invitation(
                email: "bert@example.org", role: .member, teamID: nil, teamRole: .member, locale: "en",
                inviterID: admin.id, sent: CalendarDay(instant: TestApp.now, in: .gmt))
            try await app.stores.insert(invitation)
            job = Job(kind: "planReminders", state: .dead, runAt: TestApp.now, attempts: 8, lastError: "x <y>")
            _ = try await app.stores.jobs.enqueue(job)
            team = Team(name: "Doomed")
            try await app.stores.insert(team)
        }

        func fill(_ text: String) -> String {
            text.replacing("USER", with: anna.id.description)
                .replacing("INVITATION", with: invitation.id.description).replacing("JOB", with: job.id.description)
                .replacing("DOOMED", with: team.id.description)
        }

        /// Sends a form with its token.
        func post(_ path: String, _ fields: String = "") async throws -> TestResponse {
            let token = try await browser.formToken(on: "/admin/jobs")
            return try await browser.post(fill(path), form: fill(fields) + "&formToken=\(token)")
        }

        /// Checks that no form changed anything.
        func expectUntouched() async throws {
            // Except for the language, which is stored at login.
            let anna = try #require(try await app.stores.user(anna.id))
            #expect(anna.role == .member && !anna.isDisabled && anna.passwordHash == self.anna.passwordHash)
            #expect(anna.email == self.anna.email)
            #expect(
                try await app.stores.read { try $0.invitations(teamID: nil, inviterID: nil, after: nil, limit: 10) }
                    == [invitation])
            #expect(try await app.stores.read { try $0.team(name: "New") } == nil)
            #expect(try await app.stores.jobs.find(id: job.id) == job)
            #expect(try await app.mails(.passwordReset).isEmpty)
        }
    }

    @Test(arguments: pages)
    func `The pages are for administrators and not found by anyone else`(page: String) async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let path = office.fill(page)
            expectPage(try await office.browser.get(path), saying: "aria-current=\"page\"")
            let member = try await app.browser(of: office.anna)
            let guest = try await app.browser(of: app.makeUser("guest", role: .guest))
            for browser in [member, guest] { expectPage(try await browser.get(path), 404) }
            let stranger = try await app.get(path)
            #expect(stranger.status == .seeOther && stranger.headers[.location]?.hasPrefix("/login") == true)
        }
    }

    @Test(arguments: forms)
    func `A form needs its token and an administrator`(path: String, fields: String) async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            for token in ["", "&formToken=x"] {
                let response = try await office.browser.post(office.fill(path), form: office.fill(fields) + token)
                expectPage(response, 403, saying: "out of date")
            }
            let member = try await app.browser(of: office.anna)
            let token = try await member.formToken(on: "/settings")
            let response = try await member.post(office.fill(path), form: office.fill(fields) + "&formToken=\(token)")
            expectPage(response, 404)
            try await office.expectUntouched()
            let taken = try await office.post(path, fields)
            #expect(taken.status == .seeOther, "\(taken.classic)")
        }
    }

    @Test func `Only administrators see the link to the pages`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            #expect(try await office.browser.get("/settings").text.contains("href=\"/admin\""))
            let member = try await app.browser(of: office.anna)
            #expect(try await !member.get("/settings").text.contains("/admin"))
        }
    }

    @Test func `People are found and listed in pages`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            for number in 0..<60 {
                let name = String(format: "p %02d", number)
                try await app.stores.insert(
                    User(name: UserName(name), email: EmailAddress("mail\(number)@example.org")))
            }
            let first = try await office.browser.get("/admin/people")
            #expect(first.text.contains(">anna<") && !first.text.contains(">p 59<"))
            let next = try #require(first.text.firstMatch(of: /href="([^"]*after=[^"]*)"/)).output.1
            let second = try await office.browser.get(String(next))
            #expect(second.text.contains(">p 59<") && !second.text.contains(">anna<"))
            // Encoded like a browser's form: a space is a plus sign, and a plus sign is escaped.
            expectPage(try await office.browser.get("/admin/people?search=P+0"), saying: ">p 09<")
            expectPage(try await office.browser.get("/admin/people?search=p%2B0"), saying: "No one found")
            expectPage(try await office.browser.get("/admin/people?search=MAIL59"), saying: ">p 59<")
            let hostile = try await office.browser.get("/admin/people?search=%22%3E%3Cscript%3E&after=%FF")
            expectPage(hostile)
        }
    }

    @Test func `A person's page shows nothing of what they do`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let team = try await app.makeTeam(members: 3)
            let path = "/admin/people/\(team.members[1].user.id)"
            let before = try await office.browser.get(path)
            expectPage(before, saying: "href=\"/teams/\(team.id)/manage\"")
            #expect(try await app.vote(team.members[1], in: team).status == .created)
            app.clock.now += 86_400
            _ = try await app.get("/api/v1/ping", token: team.members[1].token)
            // The surrounding frame changes every hour, with the link to the viewer's picture.
            let after = try await office.browser.get(path)
            #expect(Self.main(of: after) == Self.main(of: before) && Self.main(of: after).contains("blue1"))
            expectPage(try await office.browser.get("/admin/people/\(User.ID.random())"), 404)
            expectPage(try await office.browser.get("/admin/people/nonsense"), 404)
        }
    }

    private static func main(of page: TestResponse) -> Substring {
        page.text.firstRange(of: "<main").map { page.text[$0.lowerBound...] } ?? ""
    }

    @Test func `Changes of an account are confirmed on its page`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let path = "/admin/people/\(office.anna.id)"
            let deeds = [
                ("/role", "role=admin&seen=member&\(Self.ownPassword)", "role", "Admin"),
                (
                    "/email", "email=anna@new.example&seen=anna@example.org&\(Self.ownPassword)", "email",
                    "set by an admin on"
                ),
                ("/disabled", "disabled=true", "disabled", "Enable account"),
                ("/disabled", "disabled=false", "enabled", "Disable account"),
                ("/end-sessions", "", "sessions-ended", "Logged out everywhere"),
                ("/password-reset", "", "password-mail", "The link is on its way"),
            ]
            for (form, fields, notice, text) in deeds {
                let response = try await office.post(path + form, fields)
                #expect(response.headers[.location] == "\(path)?done=\(notice)", "\(response.classic)")
                expectPage(try await office.browser.get("\(path)?done=\(notice)"), saying: text)
            }
            expectPage(try await office.post("\(path)/role", "role=king&seen=admin"), 400)
            let own = "/admin/people/\(office.admin.id)"
            expectPage(try await office.post("\(own)/disabled", "disabled=true"), 422, saying: "your own account")
            expectPage(try await office.browser.get(own), saying: "href=\"/settings\"")
            #expect(try await !office.browser.get(own).text.contains("action=\"\(own)"))
        }
    }

    @Test func `A role that someone else gave is shown before it is replaced`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let path = "/admin/people/\(office.anna.id)"
            try await app.stores.update(id: office.anna.id, UserUpdate(role: .guest))
            let page = try await office.post("\(path)/role", "role=admin&seen=member")
            expectPage(page, 409, saying: "Someone else changed this in the meantime")
            #expect(page.text.contains("name=\"seen\" value=\"guest\""))
            #expect(try await app.stores.user(office.anna.id)?.role == .guest)
            // The session alone gives no role, and the page keeps the choice.
            let wrong = try await office.post("\(path)/role", "role=admin&seen=guest&password=wrong")
            expectPage(wrong, 403, saying: "<a href=\"#rolePassword\">Wrong password")
            #expect(wrong.text.contains("value=\"admin\" selected"))
            expectPage(try await office.post("\(path)/role", "role=admin&seen=guest"), 400)
            #expect(try await app.stores.user(office.anna.id)?.role == .guest)
            let right = try await office.post("\(path)/role", "role=admin&seen=guest&\(Self.ownPassword)")
            #expect(right.status == .seeOther)
        }
    }

    @Test func `An address that is not possible is shown again with the reason`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            _ = try await app.makeUser("bert")
            let path = "/admin/people/\(office.anna.id)"
            for (form, status, text) in [
                ("email=anna&seen=anna@example.org", 422, "e-mail address"),
                ("email=new@example.org&seen=anna@example.org&password=wrong", 403, "Wrong password"),
                (
                    "email=BERT@example.org&seen=anna@example.org&\(Self.ownPassword)", 409,
                    "Someone else has this e-mail address"
                ),
                ("email=new@example.org&seen=former@example.org", 409, "Someone else changed this in the meantime"),
            ] {
                let page = try await office.post("\(path)/email", form)
                expectPage(page, status, saying: text)
                let typed = try #require(form.firstMatch(of: /email=([^&]+)/)).output.1
                #expect(page.text.contains("type=\"email\" value=\"\(typed)\""))
            }
            let own = "/admin/people/\(office.admin.id)/email"
            let refused = try await office.post(own, "email=new@example.org&seen=admin@example.org")
            expectPage(refused, 422, saying: "your own account")
            #expect(try await app.mails(.emailChanged).isEmpty)
        }
    }

    @Test func `A user sees that an admin has set their address, and when`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let anna = try await app.browser(of: office.anna)
            let text = "An admin changed your e-mail address on"
            for page in ["/settings", "/settings/email"] {
                #expect(try await !anna.get(page).text.contains(text), "\(page)")
            }
            let fields = "email=anna@new.example&seen=anna@example.org&\(Self.ownPassword)"
            #expect(try await office.post("/admin/people/\(office.anna.id)/email", fields).status == .seeOther)
            for page in ["/settings", "/settings/email"] { expectPage(try await anna.get(page), saying: text) }
            // A later change by the user does not hide it.
            let user = try #require(try await app.stores.user(office.anna.id))
            try await app.stores.update(
                id: user.id, UserUpdate(email: .init("third@example.org", secret: TestTeam.secret)))
            expectPage(try await anna.get("/settings"), saying: text)
        }
    }

    @Test func `An account is deleted after a question, unless a team depends on it`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let team = try await app.makeTeam(members: 2)
            let lead = "/admin/people/\(team.lead.user.id)/delete"
            expectPage(try await office.browser.get(lead), saying: "blue0@example.org")
            expectPage(try await office.post(lead), 422, saying: "This person is the only lead")
            #expect(try await app.stores.user(team.lead.user.id) != nil)
            let response = try await office.post("/admin/people/\(team.members[1].user.id)/delete")
            #expect(response.headers[.location] == "/admin/people?done=deleted")
            expectPage(try await office.browser.get("/admin/people?done=deleted"), saying: "Account deleted.")
            #expect(try await app.stores.user(team.members[1].user.id) == nil)
        }
    }

    @Test func `Someone is invited into a team that is named`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            try await app.stores.insert(Team(name: "New Team"))
            // The first member of a team becomes its lead.
            expectPage(
                try await office.browser.get("/admin/invitations/new?team=new+team"),
                saying: "<option value=\"lead\" selected>")
            let fields = "role=guest&teamRole=lead&locale=de"
            let response = try await office.post(
                "/admin/invitations/new", "\(fields)&email=carl@example.org&team=NEW+TEAM")
            #expect(response.headers[.location] == "/admin/invitations?done=invited", "\(response.classic)")
            expectPage(try await office.browser.get("/admin/invitations"), saying: "carl@example.org")
            let wrong = [
                ("email=carl&team=", 422, "isn’t an e-mail address"),
                ("email=dora@example.org&team=None", 422, "No team with this name"),
                ("email=carl@example.org&team=New+Team", 409, "already has an invitation"),
            ]
            for (form, status, text) in wrong {
                let refused = try await office.post("/admin/invitations/new", "\(fields)&\(form)")
                expectPage(refused, status, saying: text)
                // The form still contains what was typed.
                for choice in ["\"guest\"", "\"lead\"", "\"de\" lang=\"de\""] {
                    #expect(refused.text.contains("<option value=\(choice) selected>"), "\(choice)")
                }
            }
            let known = try await office.post("/admin/invitations/new", "\(fields)&email=anna@example.org&team=")
            #expect(known.headers[.location] == "/admin/invitations?done=already-a-user")
        }
    }

    @Test func `A list is imported, and each line shows its result`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            func send(_ list: [UInt8], token: String?, check: String? = nil) async throws -> TestResponse {
                var body = ByteBuffer()
                let texts = [("formToken", token), ("check", check)].map { ($0, $1.map { Array($0.utf8) }) }
                for (name, content) in texts + [("list", list)] {
                    guard let content else { continue }
                    body.writeString("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n")
                    body.writeBytes(content)
                    body.writeString("\r\n")
                }
                body.writeString("--b--\r\n")
                return try await app.send(
                    .post, "/admin/invitations/import",
                    headers: [
                        .cookie: office.browser.cookie, .acceptLanguage: "en",
                        .contentType: "multipart/form-data; boundary=b", .secFetchSite: "same-origin",
                    ], body: body)
            }
            let list = Array("email;role\ncarl@example.org;member\nanna@example.org;\nbert@example.org;\nx;king\n".utf8)
            for token in [nil, "x"] { expectPage(try await send(list, token: token), 403, saying: "out of date") }
            let token = try await office.browser.formToken(on: "/admin/invitations/import")
            let checked = try await send(list, token: token, check: "yes")
            expectPage(checked, saying: "1 of 4 people can be invited. Nothing has been sent yet.")
            #expect(checked.text.contains("carl@example.org;member\nanna@example.org;"), "it can be sent at once")
            let twice = Array("email\ncarl@example.org\nCARL@example.org\n".utf8)
            expectPage(try await send(twice, token: token, check: "yes"), saying: "1 of 2 people can be invited.")
            let done = try await send(list, token: token)
            expectPage(done, saying: "1 of 4 people were invited.")
            for text in ["already an account", "already has an invitation", "column “email” can’t be read"] {
                #expect(done.text.contains(text))
            }
            expectPage(try await send(Array("name\nx".utf8), token: token), 422, saying: "can’t be read")
            expectPage(try await send(Array("email\na".utf8) + [0xfc], token: token), 422, saying: "Line 2 of the file")
            let twoTeams = Array("email;Team;team\na@example.org;;\n".utf8)
            expectPage(try await send(twoTeams, token: token), 422, saying: "Line 1 names the column “team” twice")
            let units = "name\tE-Mail\r\nx\tdora@example.org\r\n".utf16
            let unicode: [UInt8] = [0xff, 0xfe] + units.flatMap { [UInt8($0), 0] }
            let ignoring = try await send(unicode, token: token)
            expectPage(ignoring, saying: "1 of 1 people were invited.")
            #expect(ignoring.text.contains("These columns were ignored: name."))
            expectPage(try await send(Array(repeating: 65, count: 600_000), token: token), 413)
        }
    }

    @Test func `After a team is created, its first lead is next`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let zone = "&timeZone=Asia/Kathmandu"
            let response = try await office.post("/admin/teams/new", "name=A+%2B+B\(zone)")
            #expect(response.headers[.location] == "/admin/teams?search=A%20%2B%20B&done=team-added")
            let list = try await office.browser.get("/admin/teams?search=A%20%2B%20B&done=team-added")
            expectPage(list, saying: "Now invite its first team lead")
            #expect(list.text.contains("href=\"/admin/invitations/new?team=A%20%2B%20B\""))
            expectPage(
                try await office.post("/admin/teams/new", "name=a+%2B+b\(zone)"), 422,
                saying: "already a team with this name")
            expectPage(try await office.post("/admin/teams/new", "name=+\(zone)"), 422, saying: "won’t work")
            let team = try #require(try await app.stores.read { try $0.team(name: "A + B") })
            #expect(team.settings.timeZone == "Asia/Kathmandu")
            for wrong in ["", "&timeZone=", "&timeZone=Mordor"] {
                let page = try await office.post("/admin/teams/new", "name=Red\(wrong)")
                expectPage(page, 422, saying: "id=\"zone-problem\"")
                #expect(page.text.contains("value=\"Red\""))
            }
            #expect(try await app.stores.read { try $0.team(name: "Red") } == nil)
        }
    }

    @Test func `A team is deleted once its name was typed`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let team = try await app.makeTeam("Blue", members: 3)
            let path = "/admin/teams/\(team.id)/delete"
            #expect(try await office.browser.get("/admin/teams").text.contains("href=\"\(path)\""))
            expectPage(try await office.browser.get(path), saying: "for all 3 members")
            let refused = try await office.post(path, "name=Red")
            expectPage(refused, 422, saying: "This isn’t the team’s name.")
            #expect(refused.text.contains(#"aria-invalid="true" aria-describedby="name-problem""#))
            let member = try await app.browser(of: team.members[1].user)
            #expect(try await member.get(team.pagePath).status == .ok)
            let deleted = try await office.post(path, "name=+bLUE+")
            #expect(deleted.headers[.location] == "/admin/teams?done=team-deleted")
            #expect(try await member.get(team.pagePath).status == .notFound)
            expectPage(try await member.get("/"), saying: "not in a team")
            expectRejection(try await app.vote(team.members[1], in: team), 404, saying: "no such team")
            expectPage(try await office.browser.get(path), 404)
        }
    }

    @Test func `Deliveries are shown by team, without a reminder's counts`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let blue = try await app.makeTeam("Blue")
            let red = try await app.makeTeam("Red")
            let message = try await app.post(
                "\(blue.path)/messages", token: blue.lead.token, json: #"{"title":"Cake","body":"In the kitchen"}"#)
            #expect(message.status == .accepted)
            let start = TestTeam.firstMonday + 14 * TestTeam.day
            _ = try await app.stores.insert(
                Delivery(
                    occasion: .init(
                        sprint: Sprint.Key(teamID: red.id, start: start), kind: .reminder,
                        day: CalendarDay(instant: start, in: .gmt)),
                    state: .done, begun: start))
            let all = try await office.browser.get("/admin/deliveries")
            expectPage(all, saying: "Cake")
            #expect(all.text.contains("Not shown") && all.text.contains(">Red<"))
            let one = try await office.browser.get("/admin/deliveries?team=BLUE")
            #expect(one.text.contains("Cake") && !one.text.contains(">Red<"))
            expectPage(try await office.browser.get("/admin/deliveries?team=Green"), saying: "No team with this name")
        }
    }

    @Test func `A job that waits for a setting shows which, and is not among the failed ones`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let error = JobError.misconfigured("Mailgun does not know the API key (401)").message
            for text in [error, "unavailable: the mail server cannot be reached"] {
                _ = try await app.stores.jobs.enqueue(
                    Job(kind: MailJobKind.invitation.rawValue, runAt: TestApp.now, attempts: 3, lastError: text))
            }
            let page = try await office.browser.get("/admin/jobs")
            expectPage(page, saying: "wait until a setting is corrected")
            #expect(page.text.contains(error) && !page.text.contains("cannot be reached"))
            #expect(page.text.contains("Failed <span class=\"tag\">1</span>"))
            #expect(page.text.contains("Waiting <span class=\"tag\">2</span>"))
        }
    }

    @Test func `A job is restarted or dropped`() async throws {
        try await TestApp.with { app in
            let office = try await Office(app)
            let traces = Job(kind: AccountTraces.jobKind, state: .dead, runAt: TestApp.now)
            _ = try await app.stores.jobs.enqueue(traces)
            let page = try await office.browser.get("/admin/jobs")
            expectPage(page, saying: "x &lt;y&gt;")
            #expect(page.text.contains("Failed <span class=\"tag\">2</span>"))
            let refused = try await office.post("/admin/jobs/drop", "job=\(traces.id)")
            expectPage(refused, 409, saying: "the rest of a deleted account")
            let restarted = try await office.post("/admin/jobs/restart", "job=JOB")
            #expect(restarted.headers[.location] == "/admin/jobs?done=job-restarted")
            #expect(try await app.stores.jobs.find(id: office.job.id)?.state == .ready)
            for form in ["restart", "drop"] {
                expectPage(try await office.post("/admin/jobs/\(form)", "job=JOB"), 422, saying: "no longer exists")
            }
        }
    }
}
