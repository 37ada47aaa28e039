import Domain
import Mongo

extension NameSearch {
    /// The index that has the search texts in the order of the names. Without the hint the server could choose one that
    /// makes it read all documents.
    static let hint: BSONDocument = ["hint": "foldedName-searchText"]

    /// Which documents of `users` or `teams` have all words.
    var conditions: BSONValue {
        .array(words.map { word in ["searchText": ["$regex": .string(word.pattern)]] })
    }
}

extension NameSearch.Word {
    /// A regular expression for either form.
    fileprivate var pattern: String {
        plain == spelledOut ? plain.escaped : "(?:\(plain.escaped)|\(spelledOut.escaped))"
    }
}

extension String {
    /// The text as a regular expression: everything in ASCII but letters, digits and spaces is escaped.
    fileprivate var escaped: String {
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", " ", "\u{80}"...: break
            default: escaped.append("\\")
            }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}
