extension AppError {
    /// The object store is unavailable, the disk is full, or the picture tool is missing: the log says what the
    /// operator must correct. Everything else works.
    package static let picturesUnavailable = AppError(
        .unavailable, "Pictures aren’t available right now. Please try again in a few minutes.",
        reason: .picturesUnavailable, retryAfter: 60)

    /// Too many concurrent uploads. Rejected before anything was done.
    package static let picturesBusy = AppError(
        .unavailable, "Many pictures are being uploaded right now. Please try again in a moment.",
        reason: .picturesBusy, retryAfter: 10)
}
