extension String {
    /// A version of the text for a mail to a recipient who did not choose it: it looks the same, but no part of it
    /// becomes a link.
    ///
    /// Mail programs turn everything that looks like an address into a link, in HTML and in plain text. An inviting
    /// user could name themselves `evil.example` and make us mail that link to strangers. A zero-width non-joiner after
    /// each character that joins parts of an address prevents this.
    var unlinked: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar)
            if Self.joinsAddresses(scalar) { result.append("\u{200C}") }
        }
        return String(result)
    }

    /// Full stops that may separate domain labels (UTS #46 §2.3), the dot leader that is mapped to one, and colon,
    /// slash and at sign with their full-width forms.
    private static func joinsAddresses(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{2024}", "\u{3002}", "\u{FF0E}", "\u{FF61}", ":", "\u{FF1A}", "/", "\u{FF0F}", "@", "\u{FF20}":
            true
        default: false
        }
    }
}
