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

/// Control characters in every part of a request, on both stores.
@Suite struct ControlCharacterTests {
    /// Characters that are not allowed in any text: the first one ends a C string, the last one has two bytes in UTF-8.
    private static let characters: [Character] = [
        "\0", "\u{1}", "\u{8}", "\u{b}", "\u{1b}", "\u{7f}", "\u{80}", "\u{9f}",
    ]
    private static let lineEndsAndTab: [Character] = ["\n", "\r", "\t"]

    // MARK: - Login

    @Test(arguments: StoreUnderTest.all)
    func `A name with something behind a NUL matches nobody and adds no wait`(kind: StoreUnderTest) async throws {
        try await Self.withApp(over: kind) { app in
            _ = try await app.makeUser("victim")
            for number in 0..<40 {
                let name = "victim%00\(number)"
                let form = try await app.post("/user/login", form: "username=\(name)&password=wrong")
                expectRejection(form, 400, classic: true, saying: "username")
                let json = #"{"username":"victim\u0000\#(number)","password":"purple lamp 9"}"#
                expectRejection(try await app.post("/api/v1/auth/login", json: json), 400, saying: "username")
            }
            #expect(try await app.logIn("victim", TestApp.password) == 200)
            for _ in 0..<5 { #expect(try await app.logIn("victim", "wrong") == 401) }
            #expect(try await app.logIn("victim", TestApp.password) == 429)
            expectRejection(
                try await app.post("/user/login", form: "username=victim%00x&password=purple%20lamp%209"), 400,
                classic: true)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `White space around a name, as of a pasted cell, changes nothing`(kind: StoreUnderTest) async throws {
        try await Self.withApp(over: kind) { app in
            let user = try await app.makeUser("anna")
            let spellings = [
                ("%s%09", #"%s\t"#), ("%09%20%s%0D%0A", #"\t %s\r\n"#), ("%0a%s", #"\u000a%s\u0020"#),
            ]
            for (form, json) in spellings {
                for name in [user.name, user.email] {
                    let fields = "username=\(form.replacing("%s", with: name))&password=purple%20lamp%209"
                    let body = #"{"username":"\#(json.replacing("%s", with: name))","password":"purple lamp 9"}"#
                    #expect(try await app.post("/login", form: fields).status == .seeOther, "\(fields)")
                    #expect(try await app.post("/user/login", form: fields).status == .ok, "\(fields)")
                    #expect(try await app.post("/user/login", json: body).status == .ok, "\(body)")
                    #expect(try await app.post("/api/v1/auth/login", json: body).status == .ok, "\(body)")
                }
            }
            // A password is what was typed; and no name may hide something.
            for fields in ["username=anna&password=purple%20lamp%209%09", "username=an%09na&password=b"] {
                expectRejection(try await app.post("/user/login", form: fields), 400, classic: true)
            }
            // Failures count for the same name.
            for _ in 0..<5 {
                let wrong = try await app.post("/user/login", form: "username=%09anna%0A&password=x")
                #expect(wrong.status == .unauthorized)
            }
            #expect(try await app.logIn("anna", TestApp.password) == 429)
        }
    }

    // MARK: - JSON

    /// Routes with a body that contains all of their texts; `TEAM`, `USER` and `ACTION` stand for ids. A multi-line
    /// text ends with `¶`.
    private static let bodies: [(HTTPRequest.Method, String, String)] = [
        (.post, "/api/v1/auth/login", #"{"username":"a","password":"b","device":"c"}"#),
        (.post, "/api/v1/auth/refresh", #"{"refreshToken":"a"}"#),
        (.post, "/api/v1/auth/exchange", #"{"code":"a","device":"b"}"#),
        (.post, "/api/v1/auth/password-reset", #"{"email":"a@example.org"}"#),
        (.post, "/api/v1/auth/password-reset/confirm", #"{"token":"a","password":"some words 1"}"#),
        (.post, "/api/v1/invitations/accept", #"{"token":"a","username":"b","password":"some words 1"}"#),
        (
            .post, "/api/v1/registrations",
            #"{"username":"a","email":"a@example.net","password":"some words 1","locale":"de"}"#
        ),
        (.post, "/api/v1/registrations/resend", #"{"email":"a@example.net"}"#),
        (.patch, "/api/v1/me", #"{"locale":"de","defaultTeam":"TEAM"}"#),
        (.delete, "/api/v1/me", #"{"password":"a"}"#),
        (.put, "/api/v1/me/absences", #"{"absences":[{"first":"2026-02-01","last":"2026-02-02"}]}"#),
        (.put, "/api/v1/me/password", #"{"currentPassword":"a","newPassword":"some words 1"}"#),
        (.put, "/api/v1/me/email", #"{"email":"b@example.org","password":"a"}"#),
        (
            .post, "/api/v1/me/devices",
            #"{"service":"fcm","token":"a","platform":"ios","appVersion":"1","locale":"de"}"#
        ),
        (
            .post, "/api/v1/me/devices",
            """
            {"service":"webpush","platform":"web",
             "subscription":{"endpoint":"https://a","keys":{"p256dh":"a","auth":"b"}}}
            """
        ),
        (.post, "/api/v1/invitations", #"{"email":"c@example.org","role":"member","team":"TEAM","teamRole":"lead"}"#),
        (.patch, "/api/v1/admin/people/USER", #"{"role":"member","email":"b@example.org","password":"a"}"#),
        (.post, "/api/v1/admin/teams", #"{"name":"a","timeZone":"Europe/Vienna","policy":"live"}"#),
        (.put, "/api/v1/admin/texts/en/vote.title", #"{"text":"a¶"}"#),
        (
            .patch, "/api/v1/teams/TEAM",
            #"{"name":"a","timeZone":"Europe/Vienna","policy":"close","feedbackReaders":"team"}"#
        ),
        (.patch, "/api/v1/teams/TEAM/members/USER", #"{"role":"lead"}"#),
        (
            .put, "/api/v1/teams/TEAM/reminders",
            """
            {"isOn":true,"hour":9,"remindsAgain":false,"holidays":["2026-05-01"],
             "texts":{"first":{"en":{"title":"a","body":"b¶"}}}}
            """
        ),
        (
            .post, "/api/v1/teams/TEAM/reminders/preview",
            """
            {"isOn":true,"hour":9,"remindsAgain":false,"holidays":[],"texts":{"first":{"en":{"title":"a","body":"b¶"}}}}
            """
        ),
        (
            .post, "/api/v1/teams/TEAM/experiments",
            """
            {"reminder":"first","first":"2026-03-01","last":"2026-06-01",
             "wordings":{"a":{"en":{"title":"a","body":"b¶"}},"b":{"en":{"title":"c","body":"d¶"}}}}
            """
        ),
        (.post, "/api/v1/teams/TEAM/messages", #"{"title":"a","body":"b¶"}"#),
        (
            .post, "/api/v1/teams/TEAM/actions",
            """
            {"title":"a","notes":"b¶","quote":"c¶","quoteReaders":"team","quoteSprint":"2026/2","assignee":"USER",
             "due":"2026-03-01"}
            """
        ),
        (
            .patch, "/api/v1/teams/TEAM/actions/ACTION",
            #"{"version":1,"title":"a","notes":"b¶","state":"toDo","due":"2026-03-01"}"#
        ),
        (.post, "/api/v1/teams/TEAM/sprints/2026/2/ballots", #"{"happiness":7,"feedback":"a¶"}"#),
        (
            .post, "/api/v1/client-errors",
            #"{"level":"error","app":"web","message":"a¶","stack":"b¶","version":"1","platform":"c","tags":{"d":"e"}}"#
        ),
        (.post, "/user/login", #"{"username":"a","password":"b"}"#),
        (.post, "/user/changePassword", #"{"oldPassword":"a","newPassword":"some words 1"}"#),
        (.post, "/user/registerDevice", #"{"token":"a","platform":"ios"}"#),
        (.post, "/happiness/track", #"{"happiness":"7","sprint":"2026/2","feedback":"a¶"}"#),
    ]

    @Test(.thorough, arguments: StoreUnderTest.all)
    func `Every text of JSON is refused if it has a control character`(kind: StoreUnderTest) async throws {
        try await Self.withTeam(over: kind) { app, place in
            for (method, path, body) in Self.bodies {
                for text in try Self.texts(of: body) {
                    let forbidden = Self.characters + (text.mayEndWithLine ? [] : Self.lineEndsAndTab)
                    for character in forbidden {
                        for json in text.bodies(with: character) {
                            let response = try await app.send(
                                method, place.filledIn(path), token: place.token,
                                headers: [.contentType: "application/json"],
                                body: ByteBuffer(string: place.filledIn(json)))
                            let isClassic = path.hasPrefix("/user/") || path.hasPrefix("/happiness/")
                            expectRejection(response, 400, classic: isClassic, saying: "control character", json)
                        }
                    }
                }
            }
            #expect(try await app.tally(of: place.team)?.count ?? 0 == 0)
        }
    }

    private static let namesWithBlankEnds: Set<String> = [
        "code", "displayName", "email", "name", "refreshToken", "title", "token", "username",
    ]

    /// A text in a body, with what comes before and after it.
    private struct Text {
        let before: String
        let after: String
        /// Whether it may have lines, or white space at its end is left out.
        let mayEndWithLine: Bool

        /// The body with a character in the text: escaped, and unescaped where JSON allows that.
        func bodies(with character: Character) -> [String] {
            let code = character.unicodeScalars.first?.value ?? 0
            let digits = String(code, radix: 16)
            let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            let short: [Character: String] = ["\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b"]
            let written = [escape, short[character], code < 0x20 ? nil : String(character)].compactMap { $0 }
            return written.map { "\(before)\($0)\(after)".replacing("¶", with: "") }
        }
    }

    /// The texts of a body: quoted strings after a colon or a bracket.
    private static func texts(of body: String) throws -> [Text] {
        let texts = body.matches(of: /[:\[]\s*"([^"]*)"/).map { match in
            let end = body.index(before: match.range.upperBound)
            let before = String(body[..<end])
            let name = before.matches(of: /"(\w+)"\s*:/).last.map { String($0.output.1) } ?? ""
            return Text(
                before: before, after: String(body[end...]),
                mayEndWithLine: match.output.1.hasSuffix("¶") || namesWithBlankEnds.contains(name))
        }
        return try #require(texts.isEmpty ? nil : texts)
    }

    @Test func `Texts with several lines keep them`() async throws {
        try await Self.withTeam(over: .sqlite) { app, place in
            let path = place.filledIn("/api/v1/teams/TEAM/actions")
            let answer = try await app.post(
                path, token: place.token, json: #"{"title":"a","notes":"one\ntwo\tthree\r\nfour"}"#)
            #expect(answer.status == .created)
            #expect(answer.object["notes"] as? String == "one\ntwo\tthree\nfour")
        }
    }

    @Test(arguments: [
        (#"{"a":"\\u0000","b":"\\\\n"}"#, true), (#"{"a":"\u00410","b":"é\u00e9\u0100"}"#, true),
        ("{\n\t\"a\" :\r\n \"b\"}", true), (#"{"feedback" : ["a\nb", "c\nd"]}"#, true), ("", true), (#"{"a":"#, true),
        (#"{"a":"\"\u0000"}"#, false), (#"{"a":"\\\u0000"}"#, false), (#"{"a\u0000":1}"#, false),
        (#"{"feedback\n":1}"#, false), (#"{"a":["b","\u001F"]}"#, false), (#"{"feedback":"a","b":"\n"}"#, false),
        (#"{"feedback":"\u0000"}"#, false), (#"{"f\u0065edback":"\n"}"#, false), (#""\u0000""#, false),
        ("{\"a\":\"\u{85}\"}", false), ("{\"\u{7f}\":1}", false),
        (#"{"username":"\t anna\r\n\u0009 \u000A"}"#, true), (#"{"username":"\t"}"#, true), (#"{"username":""}"#, true),
        (#"{"title":"a\\t\t","email":"\na"}"#, true), (#"{"username":"an\tna"}"#, false),
        (#"{"username":"anna\t\u0000"}"#, false), (#"{"username":"anna\b"}"#, false), (#"{"username\t":"a"}"#, false),
        (#"{"password":"a\t"}"#, false), (#"{"username":"a","password":"\na"}"#, false),
    ])
    func `Escapes are found where JSON has them`(json: String, isFine: Bool) throws {
        let refuse = { try ControlCharacters.refuse(inJSON: ByteBuffer(string: json)) }
        if isFine { try refuse() } else { #expect(throws: AppError.self, performing: refuse) }
    }

    /// Foundation also reads UTF-16 and UTF-32, in which bytes are not what they look like.
    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func `JSON is in UTF-8`(encoding: String.Encoding) async throws {
        try await TestApp.with { app in
            let json = #"{"username":"victim\u0000","password":"b"}"#
            let body = ByteBuffer(bytes: try #require(json.data(using: encoding)))
            let response = try await app.send(
                .post, "/api/v1/auth/login", headers: [.contentType: "application/json"], body: body)
            expectRejection(response, 400)
        }
    }

    // MARK: - Forms, addresses, headers

    @Test(arguments: StoreUnderTest.all)
    func `Every field of a form is refused if it has a control character`(kind: StoreUnderTest) async throws {
        try await Self.withTeam(over: kind) { app, place in
            let forms = [
                ("/user/login", "username=a*&password=b"), ("/user/login", "username=a&password=b*"),
                ("/user/login", "username=a&password=b&c*=d"), ("/user/registerDevice", "token=a*&platform=ios"),
                ("/user/changePassword", "oldPassword=a*&newPassword=b"),
                ("/user/changePassword", "oldPassword=a&newPassword=b*"),
                ("/happiness/track", "happiness=7&sprint=2026/2&feedback=a*"),
            ]
            for (path, form) in forms {
                for code in ["%00", "%01", "%1B", "%7f", "%c2%85", "\u{1}", "\u{7f}", "\u{85}"] {
                    let response = try await app.post(
                        path, token: place.token, form: form.replacing("*", with: code))
                    expectRejection(response, 400, classic: true, saying: "control character", form)
                }
            }
            let lines = try await app.post(
                "/happiness/track", token: place.token, form: "happiness=7&sprint=2026/2&feedback=one%0D%0Atwo%09three")
            #expect(lines.status == .ok)
        }
    }

    @Test func `A refused vote on a page keeps its input`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.vote(in: team, "7", feedback: "pasted%0Btext")
            expectPage(page, 400, saying: "invisible control character")
            #expect(page.text.contains("pasted\u{b}text"))
            #expect(try await app.tally(of: team)?.count == 0)
        }
    }

    @Test func `A form that waits for a log-in has no control character`() async throws {
        try await TestApp.with { app in
            let path = "/teams/\(Team.ID.random())/vote/plain"
            let form = "formToken=a&happiness=7&feedback=a%00b"
            let response = try await app.send(
                .post, path, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: form))
            expectRejection(response, 400, saying: "control character")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Addresses and kept headers with one are refused`(kind: StoreUnderTest) async throws {
        try await Self.withTeam(over: kind) { app, place in
            for code in ["%00", "%0a", "%0D", "%09", "%7F", "%C2%9f"] {
                for path in [
                    "/api/v1/teams/TEAM\(code)", "/api/v1/admin/people?search=a\(code)b",
                    "/api/v1/admin/people?text=a\(code)",
                    "/api/v1/admin/people?a\(code)=b",
                    "/api/v1/admin/texts/en/vote.title\(code)", "/api/v1/invitations?after=\(code)",
                    "/api/v1/shared/a\(code)/chart.svg", "/user/sendPasswordResetMail?email=a\(code)@example.org",
                    "/happiness/hasVoted?sprint=2026/2\(code)", "/happiness/sprints?sprintyear=\(code)2026",
                    "/login?next=/\(code)", "/pictures/initials/a\(code)", "/assets/\(code)", "/nothing\(code)",
                ] {
                    let response = try await app.get(place.filledIn(path), token: place.token)
                    let isClassic = path.hasPrefix("/user/") || path.hasPrefix("/happiness/")
                    expectRejection(response, 400, classic: isClassic, saying: "control character", path)
                }
            }
            for search in ["%09blue", "blue%0D%0A", "blue0%20%09"] {
                let people = try await app.get("/api/v1/admin/people?search=\(search)", token: place.token)
                #expect(people.status == .ok && people.text.contains("blue0"), "\(search)")
            }
            for value in ["phone\tx", "phone\u{85}"] {
                let response = try await app.send(
                    .post, "/api/v1/auth/login", headers: [.userAgent: value, .contentType: "application/json"],
                    body: ByteBuffer(string: #"{"username":"blue0","password":"purple lamp 9"}"#))
                expectRejection(response, 400, saying: "User-Agent")
            }
        }
    }

    // MARK: - Multipart

    @Test func `Names and fields of an upload with one are refused`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            for character in ["\0", "\u{1b}", "\u{7f}", "\u{85}"] {
                for head in [
                    "Content-Disposition: form-data; name=\"image\"; filename=\"a\(character).jpg\"",
                    "Content-Disposition: form-data; name=\"ima\(character)ge\"",
                    "Content-Disposition: form-data; name=\"image\"\r\nX-Other: \(character)",
                ] {
                    let body = "--b\r\n\(head)\r\n\r\nGIF89a\r\n--b--\r\n"
                    let response = try await app.send(
                        .post, "/user/uploadProfilePicture", token: token,
                        headers: [.contentType: "multipart/form-data; boundary=b"], body: ByteBuffer(string: body))
                    expectRejection(response, 400, classic: true, saying: "control character")
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A list of people with one is refused`(kind: StoreUnderTest) async throws {
        try await Self.withApp(over: kind) { app in
            let admin = try await app.token(of: app.makeUser("root", role: .admin))
            for character in Self.characters {
                let response = try await app.send(
                    .post, "/api/v1/invitations/import", token: admin, headers: [.contentType: "text/csv"],
                    body: ByteBuffer(string: "email\r\nanna\(character)@example.org\r\n"))
                expectRejection(response, 400, saying: "control character")
            }
            #expect(
                try await app.stores.read { try $0.invitations(teamID: nil, inviterID: nil, after: nil, limit: 1) }
                    .isEmpty)
        }
    }

    // MARK: -

    /// The values for the placeholders in paths and bodies.
    private struct Place: Sendable {
        let team: SignedInTeam
        let action: String
        let token: String

        func filledIn(_ text: String) -> String {
            text.replacing("TEAM", with: team.id.description).replacing("USER", with: team.lead.user.id.description)
                .replacing("ACTION", with: action)
        }
    }

    private static func withApp(
        over kind: StoreUnderTest, _ body: @escaping @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            try await TestApp.with(stores: stores, settings: ["REGISTRATION_DOMAINS": "example.net:member"], body)
        }
    }

    /// A team whose lead is also an administrator, so that every route is allowed.
    private static func withTeam(
        over kind: StoreUnderTest, _ body: @escaping @Sendable (TestApp, Place) async throws -> Void
    ) async throws {
        try await withApp(over: kind) { app in
            let team = try await app.makeTeam()
            try await app.stores.update(id: team.lead.user.id, UserUpdate(role: .admin))
            let action = try await app.post(
                "\(team.path)/actions", token: team.lead.token, json: #"{"title":"a"}"#)
            let id = try #require(action.object["id"] as? String)
            try await body(app, Place(team: team, action: id, token: team.lead.token))
        }
    }
}
