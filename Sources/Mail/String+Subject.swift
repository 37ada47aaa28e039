import Domain

extension String {
    /// Bytes of one variable part of a subject: two of them and our words stay below `HeaderText.maximumBytes`.
    private static let subjectLimit = 220

    /// The text as a part of a subject: one line without control or invisible characters, truncated with an ellipsis if
    /// it is long. So no name or title can end the header or displace our words. `nil` if nothing is left.
    ///
    /// Mail programs show subjects as plain text, so that an address in it needs no `unlinked`.
    var inSubject: String? {
        var line = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control {
                line.append(" ")
            } else if !scalar.properties.isControlOrInvisible {
                line.append(scalar)
            }
        }
        let words = String(line).split(separator: " ").joined(separator: " ")
        guard words.utf8.count > Self.subjectLimit else { return words.isEmpty ? nil : words }
        var clipped = ""
        for character in words {
            guard clipped.utf8.count + character.utf8.count + "…".utf8.count <= Self.subjectLimit else { break }
            clipped.append(character)
        }
        return clipped + "…"
    }
}
