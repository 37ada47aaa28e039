import Services
import TestSupport

@testable import HappinessAPI

extension PageWords {
    /// The program's original texts.
    static func original(in language: MailLocale) throws -> PageWords {
        PageWords(sections: try TextCatalog(resources: Repository.resources).sections(in: language))
    }
}
