import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import Storage
import TestSupport

extension TestApp {
    /// Creates a link's token like the worker.
    func link(_ purpose: OneTimeToken.Purpose, to user: User, at address: String? = nil) async throws -> String {
        let (text, token) = OneTimeToken.make(
            purpose, subject: user.id.description, email: address ?? user.email, at: clock.now)
        try await stores.insert(token)
        return text
    }

    /// The payloads of the jobs for a kind of mail.
    func mails(_ kind: MailJobKind) async throws -> [String] {
        try await stores.jobs.list(state: nil, limit: 1_000).filter { $0.kind == kind.rawValue }.map(\.payload)
    }

    /// Sends JSON with `PUT`.
    func put(_ uri: String, token: String? = nil, json: String) async throws -> TestResponse {
        try await send(
            .put, uri, token: token, headers: [.contentType: "application/json"], body: ByteBuffer(string: json))
    }

    /// The status of a login.
    func logIn(_ login: String, _ password: String) async throws -> Int {
        let body = try JSONEncoder().encode(["username": login, "password": password])
        return try await post("/api/v1/auth/login", json: String(decoding: body, as: UTF8.self)).status.code
    }
}
