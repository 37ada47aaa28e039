package import Foundation

/// A change that a team has agreed on: a card on its board.
///
/// It has no author and no time except its sprints. An action created from a feedback contains a copy of the text and
/// nothing that leads back: no id, and no instant to compare with another.
package struct Action: Hashable, Sendable {
    /// Identifies an action.
    package typealias ID = Identifier<Action>

    /// A column of the board.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// Agreed, but not begun.
        case toDo
        /// A member is working on it.
        case inProgress
        /// Begun, but waiting for something.
        case onHold
        /// Finished.
        case done

        /// Whether work remains to be done.
        package var isOpen: Bool { self != .done }
    }

    /// Random, so that it shows no order of creation.
    package let id: ID
    /// The team that owns it.
    package let teamID: Team.ID
    /// The part that members write.
    package var content: ActionContent
    /// Its column.
    package var state: State
    /// The sprint that was running when it was created.
    package let made: ActionSprint
    /// The sprint in which it first left `toDo`, where charts show it; `nil` until then. It stays when the action moves
    /// back: history does not change.
    package var began: ActionSprint?
    /// Increases with every change, but not when other actions move around it. A change names the version it is based
    /// on.
    package var version: Int

    /// Creates an action as a store keeps it.
    package init(
        id: ID = .random(), teamID: Team.ID, content: ActionContent, state: State = .toDo, made: ActionSprint,
        began: ActionSprint? = nil, version: Int = 1
    ) {
        self.id = id
        self.teamID = teamID
        self.content = content
        self.state = state
        self.made = made
        self.began = began
        self.version = version
    }

    /// Moves it to a column; an action that leaves `toDo` for the first time begins.
    /// - Parameter sprint: the running one.
    package mutating func move(to state: State, in sprint: ActionSprint) {
        self.state = state
        if state != .toDo, began == nil { began = sprint }
    }
}

/// The sprint in which an action was created or began: a copy of its identity and label, which never change.
package struct ActionSprint: Hashable, Sendable {
    /// The sprint's first instant.
    package let start: Date
    /// The sprint's visible name.
    package let label: SprintLabel

    /// Names a sprint of the action's team.
    package init(start: Date, label: SprintLabel) {
        self.start = start
        self.label = label
    }

    /// Copies start and label of a sprint.
    package init(_ sprint: Sprint) {
        self.init(start: sprint.start, label: sprint.label)
    }
}

/// The part of a begun action that charts and sprints show; the same for every reader.
package struct BegunAction: Hashable, Sendable {
    /// Leads to the action on the board.
    package let id: Action.ID
    /// The team that owns the action.
    package let teamID: Team.ID
    /// The change in one line.
    package let title: String
    package let began: ActionSprint

    /// Takes the visible values of an action.
    package init(id: Action.ID, teamID: Team.ID, title: String, began: ActionSprint) {
        self.id = id
        self.teamID = teamID
        self.title = title
        self.began = began
    }
}

/// The position of an action in its column.
package enum ActionPosition: Hashable, Sendable {
    /// At the top.
    case first
    /// Before another one in the column; at the bottom if that has left the column.
    case before(Action.ID)
    /// At the bottom.
    case last

    /// The default position: finished actions go to the top, all others to the bottom.
    package static func standard(in state: Action.State) -> ActionPosition {
        state.isOpen ? .last : .first
    }
}
