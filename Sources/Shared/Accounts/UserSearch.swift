import Foundation

/// Whom somebody looks for: users whose name or e-mail address begins with what was typed, in any case.
public struct UserSearch: Hashable, Sendable {
    /// Folded as names are.
    let name: TextPrefix
    /// Folded as addresses are.
    let email: TextPrefix

    /// `nil` for white space, by which nobody is looked for.
    public init?(_ text: String) {
        name = TextPrefix(text: UserName.folded(text))
        email = TextPrefix(text: EmailAddress.folded(text))
        guard !name.text.isEmpty, !email.text.isEmpty else { return nil }
    }
}
