import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import HappinessAPI

/// The language of sentences in answers of the API.
@Suite struct AnswerLanguageTests {
    /// `Accept-Language`, the language that the account has chosen, and the language of the answer.
    @Test(
        arguments: [
            ("de", nil, "de"), ("de-AT,en;q=0.5", nil, "de"), ("en;q=0.5, de;q=0.9", nil, "de"), ("fr", nil, "en"),
            ("de;q=0", nil, "en"), ("en", "de", "en"), ("fr,it;q=0.5", "de", "de"), ("*", "de", "de"), ("", "de", "de"),
            (nil, "de", "de"), (nil, "en", "en"), (nil, nil, "en"),
        ] as [(String?, String?, String)])
    func `An answer is in the language of the request, else in that of the account`(
        header: String?, locale: String?, language: String
    ) async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: try await app.makeUser("anna"))
            if let locale {
                let body = ByteBuffer(string: #"{"locale":"\#(locale)"}"#)
                let change = try await app.send(
                    .patch, "/api/v1/me", token: token, headers: [.contentType: "application/json"], body: body)
                #expect(change.status == .ok)
            }
            var headers: HTTPFields = [:]
            headers[.acceptLanguage] = header
            let isGerman = language == "de"
            let error = try await app.get("/api/v1/teams/none", token: token, headers: headers)
            expectRejection(error, 404, saying: isGerman ? "Dieses Team gibt es nicht." : "There’s no such team.")
            let classic = try await app.get("/happiness/sprints", token: token, headers: headers)
            expectRejection(classic, 409, classic: true, saying: isGerman ? "in keinem Team" : "not in a team")
            let profile = try await app.get("/user/profile", token: token, headers: headers)
            #expect(profile.object["message"] as? String == (isGerman ? "Profil von anna" : "Profile of anna"))
            for response in [error, classic, profile] {
                #expect(response.headers[.contentLanguage] == language)
                #expect(response.headers[.vary] == "Accept-Language")
            }
        }
    }

    /// What the server answers before a route does, and what routes answer without a login.
    @Test func `Errors of the server itself are in the language of the request`() async throws {
        try await TestApp.with { app in
            let (json, logIn) = ("application/json", "/api/v1/auth/login")
            let cases: [(HTTPRequest.Method, path: String, type: String?, body: String, answer: String)] = [
                (.get, "/api/v1/nothing", nil, "", "404 An dieser Adresse gibt es nichts."),
                (.put, "/user/login", nil, "", "405 Diese Adresse nimmt nur POST an."),
                (.get, "/api/v1/me", nil, "", "401 Bitte melde dich an."),
                (.post, "/user/login", "text/plain", "x", "415 Bitte sende ein Formular oder application/json."),
                (.post, logIn, json, String(repeating: " ", count: 70_000), "413 Die Anfrage ist zu groß."),
                (.post, logIn, json, "{", "400 Die Anfrage ist kein gültiges JSON."),
                (.post, logIn, json, #"{"username":"anna"}"#, "400 Das Feld password fehlt."),
                (
                    .post, logIn, json, #"{"username":"anna","password":7}"#,
                    "400 Das Feld password hat den falschen Typ."
                ),
                (
                    .post, logIn, json, #"{"username":"anna","password":"x","Team":"x"}"#,
                    "400 Das Feld Team ist unbekannt. Bekannt sind: "
                ),
                (
                    .post, logIn, json, #"{"username":"anna","password":"x"}"#,
                    "401 Falscher Benutzername oder falsches Passwort."
                ),
                (.get, "/user/sendPasswordResetMail?email=x", nil, "", "400 Das ist keine E-Mail-Adresse."),
            ]
            for (method, path, type, body, answer) in cases {
                var headers: HTTPFields = [.acceptLanguage: "de"]
                headers[.contentType] = type
                let response = try await app.send(method, path, headers: headers, body: ByteBuffer(string: body))
                #expect(response.headers[.contentLanguage] == "de", "\(path)")
                let words = (response.object["message"] ?? response.object["detail"]) as? String ?? ""
                #expect("\(response.status.code) \(words)".hasPrefix(answer))
            }
        }
    }

    @Test func `A failed log-in does not answer in the language of the account`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: try await app.makeUser("anna"))
            _ = try await app.send(
                .patch, "/api/v1/me", token: token, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"locale":"de"}"#))
            let right = try await app.post("/user/login", form: "username=anna&password=purple%20lamp%209")
            #expect(right.object["message"] as? String == "Angemeldet")
            var answers: Set<String> = []
            for name in ["anna", "nobody"] {
                answers.insert(try await app.post("/user/login", form: "username=\(name)&password=wrong").classic)
                answers.insert(
                    try await app.get("/user/sendPasswordResetMail?email=\(name)@example.org").classic)
            }
            #expect(answers.count == 2, "one for each route")
            #expect(answers.contains(#"401 {"message":"Wrong user name or password."}"#))
        }
    }

    @Test func `What the first clients may compare is the same in every language`() async throws {
        try await TestApp.with { app in
            let token = try await app.makeTeam(members: 3).lead.token
            func track(_ happiness: String) async throws -> String {
                try await app.send(
                    .post, "/happiness/track", token: token,
                    headers: [.contentType: "application/json", .acceptLanguage: "de"],
                    body: ByteBuffer(string: #"{"happiness":\#(happiness),"sprint":"2026/2"}"#)
                ).classic
            }
            #expect(try await track("11") == #"400 {"message":"Incorrect Happiness"}"#)
            #expect(try await track("7") == #"200 {"message":"Deine Stimme wurde gespeichert."}"#)
            #expect(try await track("7") == #"400 {"message":"Already voted!"}"#)
        }
    }

    @Test func `The lines of a list are explained in the language of the request`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: try await app.makeUser("boss", role: .admin))
            let response = try await app.send(
                .post, "/api/v1/invitations/import?validateOnly=true", token: token,
                headers: [.contentType: "text/csv", .acceptLanguage: "de"],
                body: ByteBuffer(string: "email,role\n=x@example.org,member\nanna@example.org,king"))
            let details = (response.object["lines"] as? [[String: Any]])?.compactMap { $0["detail"] as? String }
            #expect(details?.first == "Spalte „email“: Das ist keine E-Mail-Adresse.")
            #expect(details?.last?.hasPrefix("role muss eines davon sein: ") == true)
            #expect(response.headers[.contentLanguage] == "de")
        }
    }
}
