/// Text and numbers as they may stand in an SVG document.
enum SVGText {
    /// Text for element content and for attributes in double quotes.
    ///
    /// Besides the five characters with a meaning, it takes out what XML 1.0 (section 2.2, Char) forbids even as a
    /// reference, and marks that turn the reading direction of the text behind them.
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

    /// Rough width of a line of text in pixels; there is no font to measure with. On the wide side for system fonts.
    static func width(of text: String, fontSize: Double) -> Double {
        text.reduce(0) { sum, character in
            // From Hangul on scripts are mostly as wide as high.
            sum + fontSize * ((character.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 1.05 : 0.62)
        }
    }

    /// The text, or as much of its front as fits with an ellipsis.
    static func fitted(_ text: String, into width: Double, fontSize: Double) -> String {
        // A bound on scalars too: one `Character` can be made of thousands.
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
