import Domain
import Foundation
import Testing

@Suite struct JobsScheduleTests {
    private let schedule = Schedule([
        .init(kind: "closeSprints", every: .minute), .init(kind: "clean", every: .hour),
        .init(kind: "sweep", every: .day),
    ])

    @Test func `An occasion begins with its period`() throws {
        let now = try Date("2026-11-20T10:05:59Z", strategy: .iso8601)
        let occasions = schedule.occasions(at: now)
        #expect(
            occasions.map(\.dedupeKey) == [
                "closeSprints|2026-11-20T10:05Z", "clean|2026-11-20T10:00Z", "sweep|2026-11-20T00:00Z",
            ])
        #expect(occasions.map { now.timeIntervalSince($0.runAt) } == [59, 359, 36_359])
    }

    @Test func `Every instant of a period names the same occasion`() throws {
        let start = try Date("2026-11-20T10:05:00Z", strategy: .iso8601)
        let keys = [0, 0.001, 30, 59.999].map { schedule.occasions(at: start + $0)[0].dedupeKey }
        #expect(Set(keys).count == 1)
        #expect(schedule.occasions(at: start + 60)[0].dedupeKey == "closeSprints|2026-11-20T10:06Z")
        #expect(schedule.occasions(at: start - 0.001)[0].dedupeKey == "closeSprints|2026-11-20T10:04Z")
    }

    @Test func `Occasions before 1970 lie on their period too`() {
        let now = Date(timeIntervalSince1970: -1)
        #expect(schedule.occasions(at: now)[0].dedupeKey == "closeSprints|1969-12-31T23:59Z")
    }
}
