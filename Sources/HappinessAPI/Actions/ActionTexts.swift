import Domain
import Foundation
import Services

/// Texts about actions.
struct ActionTexts {
    let words: LocalizedTexts
    let language: PageLanguage
    let zone: TimeZone
    /// Today in the team's time zone.
    let today: CalendarDay

    /// The title of a column.
    func title(of state: Action.State) -> String { words.text("actions.\(state.rawValue)") }

    /// The text of an empty column.
    func empty(_ state: Action.State) -> String {
        switch state {
        case .toDo: words.text("actions.noneToDo")
        case .inProgress: words.text("actions.noneInProgress")
        case .onHold: words.text("actions.noneOnHold")
        case .done: words.text("actions.noneDone")
        }
    }

    /// Whether the action is past its due day and not done.
    func isOverdue(_ action: Action) -> Bool {
        action.state.isOpen && action.content.due.map { $0 < today } == true
    }

    /// `By 5 Dec 2026`; another text if the day has passed; `nil` without a day.
    func due(_ action: Action) -> String? {
        guard let due = action.content.due else { return nil }
        let day = ["day": due.shortText(in: language)]
        if isOverdue(action) { return words.text("actions.overdue", day) }
        return due == today && action.state.isOpen ? words.text("actions.dueToday") : words.text("actions.due", day)
    }

    /// `Started in the sprint of 9 Nov 2026`, or the sprint in which it was created.
    func sprint(_ action: Action) -> String {
        if let began = action.began { return words.text("actions.began", ["day": day(of: began)]) }
        return words.text("actions.made", ["day": day(of: action.made)])
    }

    /// How many members say "me too", with a button for the viewer.
    func support(of action: Action, _ supporters: ActionSupporters) -> ActionSupportLine {
        let count = supporters.count(of: action.id)
        return ActionSupportLine(
            supporters: count == 0
                ? nil : words.text("actions.supporters", count: count, ["count": words.number(count)]),
            isOwn: supporters.isSupported(action.id), isOpen: action.state.isOpen)
    }

    private func day(of sprint: ActionSprint) -> String {
        CalendarDay(instant: sprint.start, in: zone).shortText(in: language).replacing(" ", with: "\u{a0}")
    }

    /// The columns the action can be moved to.
    func moves(of action: Action) -> [ActionMove] {
        Action.State.allCases.filter { $0 != action.state }.map {
            ActionMove(state: $0.rawValue, label: title(of: $0))
        }
    }
}

/// How many members say "me too" to an action. It names nobody.
struct ActionSupportLine: Sendable {
    /// `nil` if nobody does.
    let supporters: String?
    /// Whether the viewer does.
    let isOwn: Bool
    /// Whether to offer saying it: to an open action.
    let isOpen: Bool
}

/// A button that moves an action into another column.
struct ActionMove: Sendable {
    let state: String
    let label: String
}

/// The person responsible for an action, as a card shows them.
struct ActionUser: Sendable {
    let name: String
    let pictureLink: String
}

extension ActionUser {
    init(_ user: User, pictures: PictureLinks) {
        name = user.shownName
        pictureLink = pictures.link(toPictureOf: user, .small, .webp).url
    }
}
