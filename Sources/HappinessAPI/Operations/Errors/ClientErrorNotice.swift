/// Success messages of the pages about reported errors.
enum ClientErrorNotice: String, FormNotice {
    case resolved = "clientErrors.resolvedDone"
    case reopened = "clientErrors.reopenedDone"
    case removed = "clientErrors.removedDone"

    func page(for visit: PageVisit) -> SitePath { .adminErrors }
}
