/// Escapes text and formats numbers for SVG.
enum SVGText {
    /// Text for element content and for attributes in double quotes.
    ///
    /// Besides escaping the five special characters, it removes those that XML 1.0 (section 2.2, Char) forbids even as
    /// a reference, and marks that reverse the reading direction of the following text.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": break
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{200E}", "\u{200F}", "\u{61C}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A coordinate in pixels with at most one decimal place: `12`, `12.5`, `-0.5`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, tenth) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(tenth)"
    }

    /// Estimated width of a line of text in pixels, because there is no font to measure with. Generous for system
    /// fonts.
    static func width(of text: String, fontSize: Double) -> Double {
        text.reduce(0) { sum, character in
            // From Hangul on, characters of most scripts are as wide as high.
            sum + fontSize * ((character.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 1.05 : 0.62)
        }
    }

    /// The text, truncated with an ellipsis if it does not fit.
    static func fitted(_ text: String, into width: Double, fontSize: Double) -> String {
        // Scalars are limited too: one `Character` can consist of thousands.
        let bounded = String(String.UnicodeScalarView(text.unicodeScalars.prefix(400)))
        if bounded == text, self.width(of: text, fontSize: fontSize) <= width { return text }
        var result = ""
        var used = self.width(of: "…", fontSize: fontSize)
        for character in bounded {
            used += self.width(of: String(character), fontSize: fontSize)
            guard used <= width, character.unicodeScalars.count <= 12 else { break }
            result.append(character)
        }
        return result + "…"
    }
}
