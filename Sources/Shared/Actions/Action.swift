public import Foundation

/// What a team has decided to change: a card on its board.
///
/// It has no author and no time but its sprints. One that was made from a feedback holds a copy of the text and nothing that
/// leads back: no id, and no instant that could be laid beside another one.
public struct Action: Hashable, Sendable {
    /// An action's identity.
    public typealias ID = Identifier<Action>

    /// A column of the board.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Decided, and not begun.
        case toDo
        /// Somebody is at it.
        case inProgress
        /// Begun, and waiting for something.
        case onHold
        /// Finished.
        case done

        /// Whether there is something left to do.
        public var isOpen: Bool { self != .done }
    }

    /// The action's identity.
    public let id: ID
    /// Whose it is.
    public let teamID: Team.ID
    /// What people write.
    public var content: ActionContent
    /// The column it is in.
    public var state: State
    /// The sprint that ran when it was made.
    public let made: ActionSprint
    /// The sprint that ran when it first left `toDo`, where charts show it; `nil` until then. It stays when the action goes
    /// back: a history does not move.
    public var began: ActionSprint?
    /// Grows with every change, but not when others move around it. A change names the version it was made from.
    public var version: Int

    /// An action as a store keeps it.
    public init(
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

    /// Puts it into a column; one that leaves `toDo` for the first time begins.
    /// - Parameter sprint: the running one.
    mutating func move(to state: State, in sprint: ActionSprint) {
        self.state = state
        if state != .toDo, began == nil { began = sprint }
    }
}

/// The sprint an action was made or began in: a copy of what names it, for neither ever changes.
public struct ActionSprint: Hashable, Sendable {
    /// The sprint's first instant.
    public let start: Date
    /// What people call it.
    public let label: SprintLabel

    /// A team's sprint by its identity and name.
    public init(start: Date, label: SprintLabel) {
        self.start = start
        self.label = label
    }

    /// What names a sprint.
    public init(_ sprint: Sprint) {
        self.init(start: sprint.start, label: sprint.label)
    }
}

/// What charts and sprints show of an action that has begun: nothing of which depends on who reads it.
public struct BegunAction: Hashable, Sendable {
    /// The action's identity.
    public let id: Action.ID
    /// Whose it is.
    public let teamID: Team.ID
    /// What is to change, in a line.
    public let title: String
    /// The sprint in which it began.
    public let began: ActionSprint

    /// By its parts.
    public init(id: Action.ID, teamID: Team.ID, title: String, began: ActionSprint) {
        self.id = id
        self.teamID = teamID
        self.title = title
        self.began = began
    }
}

/// Where in its column an action is put.
public enum ActionPlace: Hashable, Sendable {
    /// At the head.
    case first
    /// Before another one of the column; at the end if that is not there any more.
    case before(Action.ID)
    /// At the end.
    case last

    /// Where one goes that nobody has put anywhere: what was done last stands first, all else waits for its turn.
    public static func standard(in state: Action.State) -> ActionPlace {
        state.isOpen ? .last : .first
    }
}
