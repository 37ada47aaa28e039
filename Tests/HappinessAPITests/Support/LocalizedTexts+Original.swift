import Domain
import Services
import TestSupport

@testable import HappinessAPI

extension LocalizedTexts {
    /// The program's original texts.
    static func original(in language: MailLocale) throws -> LocalizedTexts {
        try TextCatalog(resources: Repository.resources).words(in: language)
    }
}
