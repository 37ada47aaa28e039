/// Words for whoever starts a program and reads why it ended.
public enum OperatorMessage {
    /// One line without a type's name, a secret or a stack.
    public static func text(for error: any Error) -> String {
        switch error {
        case let error as AppError where error == .storeUnavailable:
            "The store cannot be reached. Is it running, and is DATABASE_URL right?"
        case let error as AppError: error.message
        case ObjectStoreError.unavailable(let words), ObjectStoreError.misconfigured(let words): words
        default: String(describing: error)
        }
    }
}
