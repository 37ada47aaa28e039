import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/api/v1/admin/jobs`.
@Suite struct JobRoutesTests {
    @Test func `Admins see failed jobs, and only the IDs of their payloads`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let userID = User.ID.random()
            let dead = Job(
                kind: "mail.emailChanged", payload: #"{"userID":"\#(userID)","oldEmail":"old@example.org","n":1}"#,
                state: .dead, runAt: TestApp.now, attempts: 8, lastError: "unavailable: the mail API")
            let ready = Job(kind: "other", payload: "no JSON", dedupeKey: "key@example.org", runAt: TestApp.now + 1)
            for job in [dead, ready] { _ = try await app.stores.jobs.enqueue(job) }

            let list = try await app.get("/api/v1/admin/jobs?state=dead", token: token)
            #expect(
                list.text
                    == #"{"jobs":[{"attempts":8,"id":"\#(dead.id)","ids":{"userID":"\#(userID)"},"#
                    + #""kind":"mail.emailChanged","lastError":"unavailable: the mail API","#
                    + #""runAt":"2026-01-25T00:00:00Z","state":"dead"}]}"#)
            let all = try await app.get("/api/v1/admin/jobs", token: token)
            #expect((all.object["jobs"] as? [[String: Any]])?.map { $0["kind"] as? String } == [dead.kind, "other"])
            #expect(all.text.contains(#""lastError":null"#))
            #expect(!all.text.contains("example.org") && !all.text.contains("no JSON"))
            expectRejection(try await app.get("/api/v1/admin/jobs?state=lost", token: token), 400, saying: "dead")
        }
    }

    @Test func `Only a dead job is restarted or dropped`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("admin", role: .admin))
            let jobs = [
                Job(kind: "a", state: .dead, runAt: TestApp.now - 60, attempts: 8, lastError: "refused: x"),
                Job(kind: "b", state: .dead, runAt: TestApp.now), Job(kind: "c", runAt: TestApp.now),
            ]
            for job in jobs { _ = try await app.stores.jobs.enqueue(job) }
            let restart = "/api/v1/admin/jobs/\(jobs[0].id)/restart"
            #expect(try await app.send(.post, restart, token: token).status == .noContent)
            let restarted = try await app.stores.jobs.find(id: jobs[0].id)
            #expect(restarted?.state == .ready && restarted?.attempts == 0 && restarted?.runAt == TestApp.now)
            expectRejection(try await app.send(.post, restart, token: token), 404)

            let drop = "/api/v1/admin/jobs/\(jobs[1].id)"
            #expect(try await app.send(.delete, drop, token: token).status == .noContent)
            #expect(try await app.stores.jobs.find(id: jobs[1].id) == nil)
            for id in [jobs[1].id.description, jobs[2].id.description, "nonsense"] {
                expectRejection(try await app.send(.delete, "/api/v1/admin/jobs/\(id)", token: token), 404)
                expectRejection(try await app.send(.post, "/api/v1/admin/jobs/\(id)/restart", token: token), 404)
            }
            #expect(try await app.stores.jobs.find(id: jobs[2].id) != nil)
        }
    }

    @Test func `Nobody else sees or changes anything`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let guest = try await app.token(of: app.makeUser("guest", role: .guest))
            let job = Job(kind: "a", state: .dead, runAt: TestApp.now)
            _ = try await app.stores.jobs.enqueue(job)
            let requests: [(HTTPRequest.Method, String)] = [
                (.get, "/api/v1/admin/jobs"), (.get, "/api/v1/admin/jobs?state=dead"),
                (.post, "/api/v1/admin/jobs/\(job.id)/restart"), (.delete, "/api/v1/admin/jobs/\(job.id)"),
                (.delete, "/api/v1/admin/jobs/nonsense"), (.post, "/api/v1/admin/jobs/\(Job.ID.random())/restart"),
            ]
            for (method, path) in requests {
                for token in [team.lead.token, guest] {
                    expectRejection(try await app.send(method, path, token: token), 403, "\(method) \(path)")
                }
                expectRejection(try await app.send(method, path), 401, "\(method) \(path)")
            }
            #expect(try await app.stores.jobs.find(id: job.id) == job)
        }
    }
}
