import Foundation
import TestSupport
import Testing

@Suite struct SQLiteArgumentsTests {
    /// GRDB's own binding ends strings at a NUL: see `SQLiteArguments`.
    @Test func `No store gives its arguments to GRDB itself`() throws {
        let others = try Repository.sources(in: "Sources/Shared/Storage/SQLite")
            .filter { !$0.path.hasSuffix("/SQLiteArguments.swift") }
        for file in others {
            let passes = file.text.contains(/StatementArguments|setArguments|setUncheckedArguments|[(,]\s*arguments:/)
            #expect(!passes, "\(file.path)")
        }
    }
}
