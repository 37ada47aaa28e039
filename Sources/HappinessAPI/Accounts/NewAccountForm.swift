import Hummingbird
import Services

extension AppError {
    /// Whether the user can correct the error in the form for a new account, so that it is shown again.
    var leavesFormOpen: Bool {
        switch code {
        case .refused: self != .linkExpired
        case .conflict: reason == AppError.nameTaken.reason
        case .malformed, .tooManyRequests, .unavailable: true
        case .unauthenticated, .forbidden, .notFound, .tooSlow, .tooLarge, .unsupportedMediaType: false
        }
    }
}

extension PageWords {
    /// The message for an error in the form for a new account. Two errors have no reason of their own; each belongs to
    /// one field.
    func text(forForm error: AppError) -> String {
        switch error.reason {
        case "refused": text("register.nameNotValid")
        case "malformed": text("register.emailNotValid")
        default: text(for: error)
        }
    }
}
