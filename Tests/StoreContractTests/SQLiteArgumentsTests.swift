import Foundation
import TestSupport
import Testing

@Suite struct SQLiteArgumentsTests {
    /// What GRDB binds itself ends at a NUL: see `SQLiteArguments`.
    @Test func noStoreGivesItsArgumentsToGRDBItself() throws {
        let others = try Repository.sources(in: "Sources/Shared/Storage/SQLite")
            .filter { !$0.path.hasSuffix("/SQLiteArguments.swift") }
        for file in others {
            let passes = file.text.contains(/StatementArguments|setArguments|setUncheckedArguments|[(,]\s*arguments:/)
            #expect(!passes, "\(file.path)")
        }
    }
}
