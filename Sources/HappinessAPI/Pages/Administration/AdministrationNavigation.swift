import Domain

/// The administration's sections, in the order of the navigation.
enum AdministrationSection: String, Sendable, CaseIterable {
    case people
    case invitations
    case teams
    case deliveries
    case jobs
    case errors
    case texts
    case status

    /// The section's first page.
    var address: SitePath {
        switch self {
        case .people: .adminPeople
        case .invitations: .adminInvitations
        case .teams: .adminTeams
        case .deliveries: .adminDeliveries
        case .jobs: .adminJobs
        case .errors: .adminErrors
        case .texts: .adminTexts
        case .status: .adminStatus
        }
    }

    /// In the page's language.
    func label(_ words: LocalizedTexts) -> String { words.text("admin.\(rawValue)") }

    /// The section's purpose, in the page's language.
    func text(_ words: LocalizedTexts) -> String { words.text("admin.\(rawValue)Text") }
}

/// The data of `templates/partials/admin-nav.mustache`. Each page of the administration has it as `navigation`; its
/// template begins `<div class="admin">` with `{{> admin-nav}}`.
struct AdministrationNavigation: Sendable {
    let entries: [Entry]

    struct Entry: Sendable {
        let address: SitePath
        let label: String
        /// Whether the page belongs to this section.
        let isCurrent: Bool
    }

    /// - Parameter section: the section of the page; `nil` for the start page.
    init(at section: AdministrationSection?, words: LocalizedTexts) {
        entries = AdministrationSection.allCases.map {
            Entry(address: $0.address, label: $0.label(words), isCurrent: $0 == section)
        }
    }
}
