/// What a page says after a form was carried out. It is in the address, `?done=`, for the page that follows a form is asked
/// for with a GET.
protocol FormNotice: RawRepresentable<String>, Sendable {
    /// The page that says it: a path of ours, without a query.
    func page(for visit: PageVisit) throws -> String

    /// In the page's language.
    func text(_ words: PageWords) -> String
}

/// A form that its sender can mend, and why.
struct FormProblem: Error {
    /// In the page's language.
    let text: String
}
