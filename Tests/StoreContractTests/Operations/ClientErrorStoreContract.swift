import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The contract of both stores for reported errors.
@Suite struct ClientErrorStoreContract {
    private func report(_ message: String, version: String = "1.0", platform: String = "iOS 17") throws
        -> ClientErrorReport
    {
        try ClientErrorReport(
            level: .warning, app: .ios, message: message, stack: "at a (b.js:1:2)\nat c (b.js:2:3)", version: version,
            platform: platform, tags: ["screen": "vote form", "kind": "x"])
    }

    private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test(arguments: StoreUnderTest.all)
    func `A stored group equals the sum of its reports`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let days = try ["2026-01-05", "2026-01-05", "2026-01-07"].map(day)
            let reports = try ["1.0", "1.1", "1.1"].map { try report("Quote ' \" $where;", version: $0) }
            var expected: ClientErrorGroup?
            for (report, day) in zip(reports, days) {
                #expect(try await stores.record(report, on: day, limit: 10))
                expected = expected?.adding(report, on: day) ?? ClientErrorGroup(report, on: day)
                #expect(try await stores.read { try $0.clientError(report.groupID) } == expected)
            }
            #expect(try await stores.clientErrors(isResolved: false, limit: 10) == [expected])
            #expect(try await stores.read { try $0.clientError(.random()) } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many reports at once, none is lost`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let today = try day("2026-01-05")
            let messages = ["Alpha", "Beta"]
            _ = try await concurrently(20) { number in
                try await stores.record(report(messages[number % 2]), on: today, limit: 10)
            }
            for message in messages {
                let group = try await stores.read { try $0.clientError(report(message).groupID) }
                #expect(group?.countOnLastDay == 10)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Beyond the limit, only known errors are counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let today = try day("2026-01-05")
            for message in ["Alpha", "Beta"] {
                #expect(try await stores.record(report(message), on: today, limit: 2))
            }
            #expect(try await !stores.record(report("Gamma"), on: today, limit: 2))
            #expect(try await stores.record(report("Beta"), on: today, limit: 2))
            #expect(try await stores.clientErrors(isResolved: false, limit: 10).count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Lists have the latest first, and one state`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let reports = try ["Alpha", "Beta", "Gamma", "Delta"].map { try report($0) }
            let days = try ["2026-01-05", "2026-01-07", "2026-01-07", "2026-01-06"].map(day)
            for (report, day) in zip(reports, days) {
                _ = try await stores.record(report, on: day, limit: 10)
            }
            let ids = reports.map(\.groupID)
            let latest = [ids[1], ids[2]].sorted()
            let all = try await stores.clientErrors(isResolved: false, limit: 10)
            #expect(all.map(\.id) == latest + [ids[3], ids[0]])
            #expect(try await stores.clientErrors(isResolved: false, limit: 2).map(\.id) == latest)
            #expect(try await stores.clientErrors(isResolved: false, limit: 0).isEmpty)

            #expect(try await stores.write { try $0.resolveClientError(ids[3], true) })
            #expect(try await stores.clientErrors(isResolved: true, limit: 10).map(\.id) == [ids[3]])
            #expect(try await stores.clientErrors(isResolved: false, limit: 10).count == 3)
            _ = try await stores.record(reports[3], on: days[1], limit: 10)
            #expect(try await stores.read { try $0.clientError(ids[3]) }?.isResolved == true)
            _ = try await stores.record(report("Delta", version: "1.1"), on: days[1], limit: 10)
            #expect(try await stores.read { try $0.clientError(ids[3]) }?.isResolved == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Groups are removed one by one, and when they were not seen for long`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let reports = try ["Alpha", "Beta", "Gamma"].map { try report($0) }
            let days = try ["2026-01-05", "2026-01-06", "2026-01-07"].map(day)
            for (report, day) in zip(reports, days) {
                _ = try await stores.record(report, on: day, limit: 10)
            }
            try await stores.write { try $0.deleteClientErrors(unseenSince: days[1]) }
            let left = try await stores.clientErrors(isResolved: false, limit: 10)
            #expect(left.map(\.id) == [reports[2].groupID, reports[1].groupID])
            #expect(try await !stores.write { try $0.deleteClientError(reports[1].groupID, seenBefore: days[1]) })
            #expect(try await stores.write { try $0.deleteClientError(reports[1].groupID, seenBefore: days[2]) })
            #expect(try await stores.clientErrors(isResolved: false, limit: 10).count == 1)
            #expect(try await !stores.write { try $0.deleteClientError(reports[1].groupID, seenBefore: days[2]) })
            #expect(try await !stores.write { try $0.resolveClientError(reports[0].groupID, true) })
        }
    }
}
