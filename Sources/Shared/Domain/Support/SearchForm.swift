import Foundation

/// How a text is written to be compared with a search: without case, accents, apostrophes and invisible characters, and
/// with hyphens as spaces. A search finds a text if they agree in one of the forms.
package enum SearchForm: CaseIterable, Sendable {
    /// Letters without their marks: `Müller` is `muller`, `Łukasz` is `lukasz`, `O’Brien` is `obrien`.
    case plain
    /// Letters that have a spelling without a mark, in that spelling: `Müller` is `mueller`.
    case spelledOut

    /// The text in this form.
    package func folded(_ text: some StringProtocol) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in parts(of: text).unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", "@", ".": folded.append(scalar)
            case _ where Self.apostrophes.contains(scalar): continue
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation:
                folded.append(" ")
            case _ where scalar.properties.isLeftOut: continue
            default:
                if let letters = Self.letters[scalar] {
                    folded.append(contentsOf: letters.unicodeScalars)
                } else {
                    folded.append(scalar)
                }
            }
        }
        return String(folded)
    }

    /// In lower case, with each mark by itself.
    private func parts(of text: some StringProtocol) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.lowercased() }
        // Before the others, because compatibility turns the acute accent into a space with a mark.
        let rest = String(String.UnicodeScalarView(text.unicodeScalars.filter { !Self.apostrophes.contains($0) }))
        let composed = rest.precomposedStringWithCompatibilityMapping.lowercased()
        guard self == .spelledOut else { return composed.decomposedStringWithCanonicalMapping }
        var spelled = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars {
            if let letters = Self.spellings[scalar] {
                spelled.append(contentsOf: letters.unicodeScalars)
            } else {
                spelled.append(scalar)
            }
        }
        return String(spelled).decomposedStringWithCanonicalMapping
    }

    private static let apostrophes: Set<Unicode.Scalar> = [
        "'", "`", "\u{B4}", "\u{2B9}", "\u{2BB}", "\u{2BC}", "\u{2BD}", "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}",
        "\u{FF07}",
    ]

    /// German and Scandinavian.
    private static let spellings: [Unicode.Scalar: String] = ["ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"]

    /// Letters that Unicode does not take apart.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "n",
        "ŧ": "t", "þ": "th", "ς": "σ",
    ]
}

extension Unicode.Scalar.Properties {
    /// Marks of a letter, and what nobody sees. Vowel signs and the virama of Indic scripts are no such marks.
    fileprivate var isLeftOut: Bool {
        if canonicalCombiningClass.rawValue >= 10 || isDefaultIgnorableCodePoint { return true }
        switch generalCategory {
        case .control, .format: return true
        default: return false
        }
    }
}

extension String {
    /// The text in each of its forms: two, or one if they are the same.
    package var searchForms: [String] {
        let plain = SearchForm.plain.folded(self)
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return [plain] }
        let spelledOut = SearchForm.spelledOut.folded(self)
        return plain == spelledOut ? [plain] : [plain, spelledOut]
    }
}

extension String {
    /// The beginning, of at most so many Unicode scalars: a single character may have thousands.
    func limited(to count: Int) -> String {
        unicodeScalars.count <= count ? self : String(UnicodeScalarView(unicodeScalars.prefix(count)))
    }
}
