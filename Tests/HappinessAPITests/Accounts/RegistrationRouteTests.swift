import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import HappinessAPI

@Suite struct RegistrationRouteTests {
    private static let open = ["REGISTRATION_DOMAINS": "example.org:member"]

    private func register(_ name: String, _ email: String, in app: TestApp) async throws -> TestResponse {
        try await app.post(
            "/api/v1/registrations",
            json: #"{"username":"\#(name)","email":"\#(email)","password":"\#(TestApp.password)"}"#)
    }

    @Test func `The answer is the same whether or not the address has an account`() async throws {
        try await TestApp.with(settings: Self.open) { app in
            _ = try await app.makeUser("anna")
            let known = try await register("other", "anna@example.org", in: app)
            let unknown = try await register("new", "new@example.org", in: app)
            #expect(known.status == .accepted)
            #expect(known.classic == unknown.classic)
            var responses: Set<String> = []
            for address in ["anna@example.org", "new@example.org", "nobody@example.org", "nobody@elsewhere.example"] {
                let response = try await app.post("/api/v1/registrations/resend", json: #"{"email":"\#(address)"}"#)
                responses.insert(response.classic)
            }
            #expect(responses.count == 1)
            #expect(responses.first?.hasPrefix("202") == true)
        }
    }

    @Test func `An invalid registration is refused`() async throws {
        try await TestApp.with(settings: Self.open) { app in
            _ = try await app.makeUser("anna")
            expectRejection(try await register("new", "new@example.com", in: app), 422, saying: "example.org")
            expectRejection(try await register("new", "nobody", in: app), 400)
            expectRejection(try await register("ANNA", "new@example.org", in: app), 409, saying: "taken")
            expectRejection(try await register("a@b", "new@example.org", in: app), 422, saying: "@")
            expectRejection(try await app.post("/api/v1/registrations", json: #"{"username":"x"}"#), 400)
        }
    }

    @Test func `Nobody registers unless the operator has allowed it`() async throws {
        try await TestApp.with { app in
            expectRejection(try await register("new", "new@example.org", in: app), 404, saying: "Only admins")
            expectRejection(
                try await app.post("/api/v1/registrations/resend", json: #"{"email":"new@example.org"}"#), 404)
            let page = try await app.get("/register")
            #expect(page.status == .notFound)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        }
    }
}
