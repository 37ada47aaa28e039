import Domain
import Foundation

/// Lists the open or the resolved errors.
struct ClientErrorListPage: Page {
    static let template = "admin-errors"

    let navigation: AdministrationNavigation
    let filters: [Filter]
    let rows: [Row]
    let isEmpty: Bool
    /// Shown if there are no errors.
    let empty: String
    let done: String?

    /// A link to the errors in one state.
    struct Filter: Sendable {
        let address: SitePath
        let label: String
        let isChosen: Bool
    }

    struct Row: Sendable {
        let address: SitePath
        let facts: ClientErrorFacts
    }

    init(_ groups: [ClientErrorGroup], state: ClientErrorState, today: CalendarDay, visit: PageVisit) {
        let words = visit.words
        navigation = AdministrationNavigation(at: .errors, words: words)
        filters = ClientErrorState.allCases.map { one in
            Filter(
                address: SitePath.adminErrors.adding("state", one.rawValue),
                label: one == .open ? words.text("clientErrors.open") : words.text("clientErrors.resolved"),
                isChosen: one == state)
        }
        rows = groups.map { group in
            Row(address: .adminError(group.id), facts: ClientErrorFacts(group, today: today, visit: visit))
        }
        isEmpty = rows.isEmpty
        empty = state == .open ? words.text("clientErrors.none") : words.text("clientErrors.noneResolved")
        done = visit.done
    }
}

struct ClientErrorPage: Page {
    static let template = "admin-error"

    let navigation: AdministrationNavigation
    let address: SitePath
    let facts: ClientErrorFacts
    /// Empty if the report had none.
    let stack: String
    /// The version in the latest report.
    let version: String
    let platform: String
    let tags: [Tag]
    let isResolved: Bool
    let done: String?
    let problem: FormProblem?

    /// A name and value that the program sent.
    struct Tag: Sendable {
        let name: String
        let value: String
    }

    init(_ group: ClientErrorGroup, today: CalendarDay, visit: PageVisit) {
        navigation = AdministrationNavigation(at: .errors, words: visit.words)
        address = .adminError(group.id)
        facts = ClientErrorFacts(group, today: today, visit: visit)
        stack = group.sample.stack
        version = group.sample.version
        platform = group.sample.platform
        tags = group.sample.tags.sorted { $0.key < $1.key }.map { Tag(name: $0.key, value: $0.value) }
        isResolved = group.isResolved
        done = visit.done
        problem = visit.problem
    }
}

/// The parts of an error that both pages show.
struct ClientErrorFacts: Sendable {
    /// The message; without one, the location in the program.
    let title: String
    /// The program's name in the page's language.
    let app: String
    /// Whether it was only a warning.
    let isWarning: Bool
    /// Whether the program ended.
    let isFatal: Bool
    /// The level in words.
    let level: String
    /// Number of reports, not including today's; `nil` if the first one was today.
    let count: Int?
    /// Whether it was reported today.
    let isToday: Bool
    /// Formatted days.
    let first: String
    let last: String
    /// Latest version first.
    let versions: String

    init(_ group: ClientErrorGroup, today: CalendarDay, visit: PageVisit) {
        let words = visit.words
        title =
            group.message.isEmpty
            ? group.sample.stack.split(separator: "\n").first.map(String.init) ?? "" : group.message
        app = words.text("clientErrors.\(group.app.rawValue)")
        isWarning = group.level == .warning
        isFatal = group.level == .fatal
        level = words.text("clientErrors.\(group.level.rawValue)")
        let number = group.count(on: today)
        count = number > 0 ? number : nil
        isToday = group.lastDay >= today
        first = group.firstDay.text(in: visit.frame.language)
        last = group.lastDay.text(in: visit.frame.language)
        versions = group.versions.joined(separator: ", ")
    }
}
