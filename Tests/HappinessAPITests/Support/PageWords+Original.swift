import Services
import TestSupport

@testable import HappinessAPI

extension PageWords {
    /// The program's original texts.
    static func original(in language: MailLocale) throws -> PageWords {
        try TextCatalog(resources: Repository.resources).words(in: language)
    }
}
