import Domain
import Hummingbird

extension AppError {
    /// Whether the user can correct the error in the form for a new account, so that it is shown again.
    var leavesFormOpen: Bool {
        switch code {
        case .unprocessable: self != .linkExpired
        case .conflict: reason == .nameTaken
        case .malformed, .tooManyRequests, .unavailable: true
        case .unauthenticated, .forbidden, .notFound, .tooSlow, .tooLarge, .unsupportedMediaType: false
        }
    }
}

extension LocalizedTexts {
    /// The two passwords of a form differ.
    var differentPasswords: FormProblem { FormProblem(text("reset.different"), at: "repeat") }
}

extension EmailAddress {
    /// The address in a form's field `email`.
    /// - Parameter problem: why it is shown again if that is no address.
    /// - Throws: `FormProblem`.
    init(typed text: String, orSay problem: String) throws {
        do {
            self = try EmailAddress(text)
        } catch {
            throw FormProblem(problem, at: "email")
        }
    }
}
