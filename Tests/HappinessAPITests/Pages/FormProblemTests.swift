import Domain
import Testing

@testable import HappinessAPI

@Suite struct FormProblemTests {
    /// So that a new reason of this kind is not forgotten in the tables.
    @Test func `What is wrong with a password, a feedback, a text or a value is known to be that`() throws {
        let words = try LocalizedTexts.original(in: .english)
        for reason in AppError.Reason.allCases {
            let problem = words.problem(AppError(.unprocessable, "", reason: reason))
            for field in ["password", "feedback", "text"] {
                let isAboutIt = reason.rawValue.hasPrefix("\(field)-")
                #expect((problem.field == field) == isAboutIt, "\(reason)")
            }
            let isAboutValue = reason.rawValue.hasPrefix("happiness-")
            #expect(ClassicHappinessController.happinessReasons.contains(reason) == isAboutValue, "\(reason)")
        }
    }
}
