import Foundation
package import Testing

/// What a test needs, so that `make test-fast` can leave it out: `swift test` cannot choose tests by their tags.
extension Trait where Self == ConditionTrait {
    /// A mongod, beside `StoreUnderTest.all`.
    package static var needsMongod: Self {
        .enabled(if: StoreUnderTest.all.contains(.mongodb), "TEST_STORES leaves MongoDB out")
    }

    /// Much computing, or a wait: it takes more than half a second alone.
    package static var thorough: Self {
        .enabled(if: ProcessInfo.processInfo.environment["TEST_THOROUGH"] != "no", "TEST_THOROUGH leaves it out")
    }
}
