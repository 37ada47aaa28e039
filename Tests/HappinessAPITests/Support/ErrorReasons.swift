import Services
import TestSupport

extension AppError {
    /// All possible last parts of a problem document's `type`: the names of the codes, and every reason in the sources.
    static func everyReason() throws -> Set<String> {
        let written = try Repository.sources(in: "Sources").flatMap { source in
            source.text.matches(of: /reason: "([a-z0-9-]+)"/).map { String($0.output.1) }
        }
        return Set(written + Code.allCases.map { AppError($0, "").reason })
    }
}
