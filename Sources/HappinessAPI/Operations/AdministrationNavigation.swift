/// The pages of the administration that are always one tap away, in this order.
enum AdministrationSection: String, Sendable, CaseIterable {
    case people
    case invitations
    case teams
    case deliveries
    case jobs
    case errors
    case texts
    case status

    /// Where its first page is.
    var path: String { "/admin/\(rawValue)" }

    /// In the page's language.
    func label(_ words: PageWords) -> String {
        switch self {
        case .people: words.text("admin.people")
        case .invitations: words.text("admin.invitations")
        case .teams: words.text("admin.teams")
        case .deliveries: words.text("admin.deliveries")
        case .jobs: words.text("admin.jobs")
        case .errors: words.text("admin.errors")
        case .texts: words.text("admin.texts")
        case .status: words.text("admin.status")
        }
    }
}

/// What `templates/partials/admin-nav.mustache` shows. A page of the administration holds it as `navigation`, and its
/// template says `{{> admin-nav}}` first thing in `<div class="admin">`.
struct AdministrationNavigation: Sendable {
    let entries: [Entry]

    /// One section.
    struct Entry: Sendable {
        /// A path of ours.
        let address: String
        let label: String
        /// Whether the page is part of it.
        let isCurrent: Bool
    }

    /// - Parameter section: what the page is part of.
    init(at section: AdministrationSection, words: PageWords) {
        entries = AdministrationSection.allCases.map {
            Entry(address: $0.path, label: $0.label(words), isCurrent: $0 == section)
        }
    }
}
