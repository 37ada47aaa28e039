package import Domain
import Services

extension Texts {
    /// The program's own texts, read once.
    package static let original: Texts = {
        do {
            return try TextCatalog(resources: Repository.resources).texts
        } catch {
            fatalError("The texts of this checkout cannot be read: \(error)")
        }
    }()
}
