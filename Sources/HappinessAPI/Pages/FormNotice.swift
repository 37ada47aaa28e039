import Services

/// A success message. The address contains it as `?done=`, since the page after a form is requested with a GET.
protocol FormNotice: RawRepresentable<String>, Sendable {
    /// The page that shows the message: a path on this server, without a query.
    func page(for visit: PageVisit) throws -> String

    /// In the page's language.
    func text(_ words: PageWords) -> String
}

/// A form error that the user can correct, with its message.
struct FormProblem: Error {
    /// In the page's language.
    let text: String
}
