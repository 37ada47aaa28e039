import Domain
import Foundation

/// Addresses as people paste them: separated by line breaks, commas, semicolons or spaces.
struct InvitationLines: Sendable {
    /// In their order, without duplicates.
    let addresses: [String]

    /// About the size of a department; administrators can import longer lists.
    static let maximumCount = 100

    /// - Throws: `FormProblem` if there are none, or too many.
    init(_ text: String, _ words: LocalizedTexts) throws {
        var seen: Set<String> = []
        addresses = text.split { $0.isWhitespace || $0 == "," || $0 == ";" }.map(String.init)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "<>\"'")) }
            .filter { !$0.isEmpty && seen.insert(EmailAddress.folded($0)).inserted }
        guard !addresses.isEmpty else { throw FormProblem(words.text("invite.none"), at: "emails") }
        guard addresses.count <= Self.maximumCount else {
            throw FormProblem(words.text("invite.tooMany", ["count": String(Self.maximumCount)]), at: "emails")
        }
    }
}
