import Domain

extension AddressFault {
    /// A sentence that says that mails to an address do not arrive, why and since when.
    func text(_ words: LocalizedTexts, in language: PageLanguage) -> String {
        let values = ["day": since.text(in: language)]
        return switch kind {
        case .bounced: words.text("addressFault.bounced", values)
        case .complained: words.text("addressFault.complained", values)
        }
    }
}
