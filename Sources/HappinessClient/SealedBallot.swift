package import Foundation

/// A sealed ballot as it is sent.
///
/// The vote page sends the same bytes for the same ballot (`sealed-ballot.js`), so they do not tell who votes with this
/// library: JSON without blanks, its fields in alphabetical order, then blanks up to a multiple of ``block``. A field
/// without a value is `null`: a ballot without a text, and the randomness of a paper from a version that had none.
package struct SealedBallot {
    /// UTF-8.
    package let body: Data

    /// Bytes. Bodies are so large that most texts do not change their size.
    private static let block = 4_096

    /// - Parameters:
    ///   - key: the id of the ballot key.
    ///   - paper: as Base64URL, like `signature` and `randomness`.
    ///   - happiness: from 0 to 10, in tenths.
    ///   - feedback: as it was typed.
    package init(
        key: String, paper: String, signature: String, randomness: String?, happiness: Double, feedback: String?
    ) {
        let tenths = Int((happiness * 10).rounded())
        let fields = [
            ("feedback", Self.json(feedback.flatMap(Self.normalized))),
            ("happiness", tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"),
            ("key", Self.json(key)), ("paper", Self.json(paper)), ("randomness", Self.json(randomness)),
            ("signature", Self.json(signature)),
        ]
        let json = "{\(fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
        let rest = json.utf8.count % Self.block
        body = Data(json.utf8) + Data(repeating: UInt8(ascii: " "), count: rest == 0 ? 0 : Self.block - rest)
    }

    /// - Throws: ``ClientError/rejected(_:)`` if the paper is not signed.
    init(happiness: Double, feedback: String?, paper: BallotPaper) throws(ClientError) {
        guard let signature = paper.signature else {
            throw .rejected(
                Problem(status: 422, reason: "ballot-paper-not-valid", detail: "The paper isn’t signed yet."))
        }
        self.init(
            key: paper.key.id, paper: paper.bytes.base64URL, signature: signature.base64URL,
            randomness: paper.randomness?.base64URL, happiness: happiness, feedback: feedback)
    }

    /// The text as the vote page sends it; `nil` if nothing is left. The characters of line ends and blanks, and how
    /// letters are composed, would tell the device. The server does more, and would reject control characters.
    private static func normalized(_ text: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where before == "\r": break
            case "\r", "\n", "\u{85}", "\u{2028}", "\u{2029}": scalars.append("\n")
            case "\t": scalars.append(" ")
            case _ where scalar.properties.generalCategory == .spaceSeparator: scalars.append(" ")
            case _ where scalar.properties.generalCategory == .control: break
            default: scalars.append(scalar)
            }
            before = scalar
        }
        let result = String(scalars).precomposedStringWithCanonicalMapping
            .trimmingCharacters(in: CharacterSet(charactersIn: " \n"))
        return result.isEmpty ? nil : result
    }

    /// A JSON string as `JSON.stringify` writes it (ECMA-262, QuoteJSONString): it escapes nothing that need not be.
    private static func json(_ text: String?) -> String {
        guard let text else { return "null" }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result.append(contentsOf: #"\""#.unicodeScalars)
            case "\\": result.append(contentsOf: #"\\"#.unicodeScalars)
            case "\n": result.append(contentsOf: #"\n"#.unicodeScalars)
            // `normalized` leaves no other control character.
            default: result.append(scalar)
            }
        }
        return "\"\(String(result))\""
    }
}
