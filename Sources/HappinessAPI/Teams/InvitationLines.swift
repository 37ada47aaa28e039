import Domain

/// People as one pastes them into a form, see `AddressList`.
struct InvitationLines: Sendable {
    /// In their order, each address once.
    let people: [AddressList.Entry]

    /// About the size of a department; administrators can import longer lists.
    static let maximumCount = 100

    /// - Throws: `FormProblem` if there are none, or too many.
    init(_ text: String, _ words: LocalizedTexts) throws {
        var seen: Set<String> = []
        people = AddressList(text).entries.filter { seen.insert(EmailAddress.folded($0.text)).inserted }
        guard !people.isEmpty else { throw FormProblem(words.text("invite.none"), at: "emails") }
        guard people.count <= Self.maximumCount else {
            throw FormProblem(words.text("invite.tooMany", ["count": String(Self.maximumCount)]), at: "emails")
        }
    }
}
