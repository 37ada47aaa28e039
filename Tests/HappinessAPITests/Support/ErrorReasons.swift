import Shared
import TestSupport

extension AppError {
    /// What can end the `type` of a problem document: the codes' own names, and every reason written in the sources.
    static func everyReason() throws -> Set<String> {
        let written = try Repository.sources(in: "Sources").flatMap { source in
            source.text.matches(of: /reason: "([a-z0-9-]+)"/).map { String($0.output.1) }
        }
        return Set(written + Code.allCases.map { AppError($0, "").reason })
    }
}
