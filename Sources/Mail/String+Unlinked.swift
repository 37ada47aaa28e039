extension String {
    /// The text as it may stand in a mail to somebody who did not choose it: it looks the same, and no part of it becomes
    /// a link.
    ///
    /// Mail programs make links of whatever looks like an address, in HTML and in plain text. Whoever may invite could
    /// call themselves `evil.example`, and have us mail that link to strangers. A zero-width non-joiner behind what
    /// addresses are put together with leaves nothing that looks like one.
    var unlinked: String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar)
            if Self.joinsAddresses(scalar) { result.append("\u{200C}") }
        }
        return String(result)
    }

    /// Full stops with which domains are written (UTS #46 §2.3), the dot leader that is mapped to one, and the colon,
    /// slash and at sign with their full-width forms.
    private static func joinsAddresses(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{2024}", "\u{3002}", "\u{FF0E}", "\u{FF61}", ":", "\u{FF1A}", "/", "\u{FF0F}", "@", "\u{FF20}":
            true
        default: false
        }
    }
}
