import Domain
package import Logging

extension TextCatalog {
    /// Makes the languages that have a file those of this process (`MailLocale.allCases`). To be called once, before
    /// the command line is read.
    package static func installLanguages(from resources: Resources = .standard()) {
        do {
            MailLocale.install(try languages(in: resources))
        } catch {
            // Not every command needs the files. One that does reports them missing.
        }
    }

    /// A sentence for each language whose file is not complete, by language; empty for a complete installation.
    package var notices: [String] {
        missing.sorted { $0.key < $1.key }.map { language, names in
            "templates/messages/\(language.rawValue).json lacks these texts, or their placeholders differ from those "
                + "in en.json: \(names.joined(separator: ", ")). They are shown in English."
        }
    }

    /// Logs a warning for each notice.
    package func warn(_ logger: Logger) {
        for notice in notices { logger.warning("Texts are missing", metadata: ["texts": "\(notice)"]) }
    }
}
