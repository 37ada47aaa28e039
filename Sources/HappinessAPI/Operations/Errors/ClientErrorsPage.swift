import Foundation
import Shared

/// The errors that are open, or those that are resolved.
struct ClientErrorsPage: Page {
    static let template = "admin-errors"

    let navigation: AdministrationNavigation
    let filters: [Filter]
    let rows: [Row]
    let isEmpty: Bool
    /// Said where there are none.
    let empty: String
    let done: String?

    /// The way to the errors of one state.
    struct Filter: Sendable {
        let address: String
        let label: String
        let isChosen: Bool
    }

    /// One error.
    struct Row: Sendable {
        let address: String
        let facts: ClientErrorFacts
    }

    init(_ groups: [ClientErrorGroup], state: ClientErrorState, today: CalendarDay, visit: PageVisit) {
        let words = visit.words
        navigation = AdministrationNavigation(at: .errors, words: words)
        filters = ClientErrorState.allCases.map { one in
            Filter(
                address: "\(AdministrationSection.errors.path)?state=\(one.rawValue)",
                label: one == .open ? words.text("clientErrors.open") : words.text("clientErrors.resolved"),
                isChosen: one == state)
        }
        rows = groups.map { group in
            Row(
                address: ClientErrorPages.path(of: group.id), facts: ClientErrorFacts(group, today: today, visit: visit)
            )
        }
        isEmpty = rows.isEmpty
        empty = state == .open ? words.text("clientErrors.none") : words.text("clientErrors.noneResolved")
        done = visit.done
    }
}

/// One error.
struct ClientErrorPage: Page {
    static let template = "admin-error"

    let navigation: AdministrationNavigation
    /// A path of ours.
    let address: String
    let facts: ClientErrorFacts
    /// Empty if none was sent.
    let stack: String
    /// What the latest report said of itself.
    let version: String
    let platform: String
    let tags: [Tag]
    let isResolved: Bool
    let done: String?
    let problem: String?

    /// What a program said about itself.
    struct Tag: Sendable {
        let name: String
        let value: String
    }

    init(_ group: ClientErrorGroup, today: CalendarDay, visit: PageVisit) {
        navigation = AdministrationNavigation(at: .errors, words: visit.words)
        address = ClientErrorPages.path(of: group.id)
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

/// What both pages say of an error.
struct ClientErrorFacts: Sendable {
    /// The message; the place in the program if there is none.
    let title: String
    /// The program, in the page's language.
    let app: String
    /// Whether it was a warning only.
    let isWarning: Bool
    /// The word for that.
    let level: String
    /// Reports of the days that are over, as a number; `nil` if it is seen since today only.
    let count: Int?
    /// Whether it was reported today.
    let isToday: Bool
    /// Days as people write them.
    let first: String
    let last: String
    /// The latest one at the head.
    let versions: String

    init(_ group: ClientErrorGroup, today: CalendarDay, visit: PageVisit) {
        let words = visit.words
        title =
            group.message.isEmpty
            ? group.sample.stack.split(separator: "\n").first.map(String.init) ?? "" : group.message
        app =
            switch group.app {
            case .web: words.text("clientErrors.web")
            case .ios: words.text("clientErrors.ios")
            case .android: words.text("clientErrors.android")
            case .sdk: words.text("clientErrors.sdk")
            }
        isWarning = group.level == .warning
        level = isWarning ? words.text("clientErrors.warning") : words.text("clientErrors.error")
        let number = group.count(on: today)
        count = number > 0 ? number : nil
        isToday = group.lastDay >= today
        first = group.firstDay.text(in: visit.frame.language)
        last = group.lastDay.text(in: visit.frame.language)
        versions = group.versions.joined(separator: ", ")
    }
}
