import Hummingbird
import Shared

extension AppError {
    /// Whether whoever filled in a form for a new account can mend it there, so that it is shown again.
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
    /// Why a form for a new account was refused. Two refusals have no reason of their own, and come from one field each.
    func text(forForm error: AppError) -> String {
        switch error.reason {
        case "refused": text("register.nameNotValid")
        case "malformed": text("register.emailNotValid")
        default: text(for: error)
        }
    }
}
