import Foundation

/// A search for users whose name or e-mail address begins with the input, ignoring case.
package struct UserSearch: Hashable, Sendable {
    /// Folded like names.
    package let name: TextPrefix
    /// Folded like addresses.
    package let email: TextPrefix

    /// `nil` if the input is only white space.
    package init?(_ text: String) {
        name = TextPrefix(text: UserName.folded(text))
        email = TextPrefix(text: EmailAddress.folded(text))
        guard !name.text.isEmpty, !email.text.isEmpty else { return nil }
    }
}
