package import Domain
import Storage

extension AppError {
    /// The error shown to users: the error itself, or the state of the store. `nil` for a defect.
    package init?(_ error: any Error) {
        switch error {
        case let error as AppError: self = error
        case StorageError.unavailable: self = .storeUnavailable
        case StorageError.duplicate: self.init(.conflict, "This already exists.")
        default: return nil
        }
    }
}
