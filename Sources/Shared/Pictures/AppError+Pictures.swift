extension AppError {
    /// The object store is away, the disk is full, or the program that makes pictures is missing: what the operator has to
    /// mend is in the log. Everything else works.
    public static let picturesUnavailable = AppError(
        .unavailable, "Pictures are not available right now. Please try again in a few minutes.",
        reason: "pictures-unavailable", retryAfter: 60)

    /// More people upload at once than there is room for. Refused before anything was done.
    public static let picturesBusy = AppError(
        .unavailable, "Many pictures are being uploaded right now. Please try again in a moment.",
        reason: "pictures-busy", retryAfter: 10)
}
