import Foundation

/// A search for users whose name or e-mail address begins with the input, ignoring case.
public struct UserSearch: Hashable, Sendable {
    /// Folded like names.
    let name: TextPrefix
    /// Folded like addresses.
    let email: TextPrefix

    /// `nil` if the input is only white space.
    public init?(_ text: String) {
        name = TextPrefix(text: UserName.folded(text))
        email = TextPrefix(text: EmailAddress.folded(text))
        guard !name.text.isEmpty, !email.text.isEmpty else { return nil }
    }
}
