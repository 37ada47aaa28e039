import Services

/// The administration's sections, in the order of the navigation.
enum AdministrationSection: Sendable, CaseIterable {
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
    func label(_ words: LocalizedTexts) -> String {
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

    /// The section's purpose, in the page's language.
    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .people: words.text("admin.peopleText")
        case .invitations: words.text("admin.invitationsText")
        case .teams: words.text("admin.teamsText")
        case .deliveries: words.text("admin.deliveriesText")
        case .jobs: words.text("admin.jobsText")
        case .errors: words.text("admin.errorsText")
        case .texts: words.text("admin.textsText")
        case .status: words.text("admin.statusText")
        }
    }
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
