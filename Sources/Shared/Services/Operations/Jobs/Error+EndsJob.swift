import Domain

extension Error {
    /// Whether a job that does many things one by one ends with this error, instead of going on with the others: its
    /// task was cancelled, or the store is unavailable.
    package var endsJob: Bool {
        self is CancellationError || AppError(self)?.code == .unavailable
    }
}
