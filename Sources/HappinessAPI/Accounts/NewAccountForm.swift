import Hummingbird
import Services

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
    /// An error in the form for a new account. Two errors have no reason of their own; each belongs to one field.
    func problem(inForm error: AppError) -> FormProblem {
        switch error.reason {
        case .refused: FormProblem(text("register.nameNotValid"), at: "username")
        case .malformed: FormProblem(text("register.emailNotValid"), at: "email")
        default: problem(error)
        }
    }

    /// The two passwords of a form differ.
    var differentPasswords: FormProblem { FormProblem(text("reset.different"), at: "repeat") }
}
