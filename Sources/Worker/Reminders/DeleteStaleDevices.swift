import Domain
import Foundation
import Services
import Storage

/// Deletes devices that were not refreshed for so long that their push service has dropped them.
struct DeleteStaleDevices: JobHandler {
    static let kind = "deleteStaleDevices"

    let store: any Store

    var kind: String { Self.kind }
    /// A slow disk may need a while for a day's devices.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        let today = CalendarDay(instant: context.now, in: .gmt)
        try await store.write { try $0.deleteStaleDevices(before: today.adding(days: -DeviceService.staleDays)) }
    }
}
