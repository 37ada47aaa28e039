extension String {
    /// The text, safe between tags and in quoted attributes of HTML.
    ///
    /// It escapes each scalar. A quotation mark with a combining accent is a different `Character` than a plain one,
    /// and would end an attribute if only whole characters were replaced, as swift-mustache's own escaping does.
    package var escapedForHTML: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "&": result += "&amp;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
