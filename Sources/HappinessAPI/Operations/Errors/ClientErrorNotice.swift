import Services

/// Success messages of the pages about reported errors.
enum ClientErrorNotice: String, FormNotice {
    case resolved
    case reopened
    case removed

    func page(for visit: PageVisit) -> SitePath { .adminErrors }

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .resolved: words.text("clientErrors.resolvedDone")
        case .reopened: words.text("clientErrors.reopenedDone")
        case .removed: words.text("clientErrors.removedDone")
        }
    }
}
