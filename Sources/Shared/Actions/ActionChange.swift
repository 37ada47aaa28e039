/// A partial change of an action; `nil` leaves a value unchanged, `.some(nil)` clears it.
public struct ActionChange: Sendable {
    /// The version the change is based on.
    public let version: Int
    /// Not yet validated, like the other texts.
    public var title: String?
    /// Further details.
    public var notes: String?
    /// The copy of a feedback text.
    public var quote: String??
    /// Who may read the copy.
    public var quoteReaders: Team.FeedbackReaders?
    /// The member responsible for it.
    public var assignee: User.ID??
    /// The last day, in team time.
    public var due: CalendarDay??
    /// The new column.
    public var state: Action.State?
    /// The new position; without one, an action that changes its column gets the default position there.
    public var place: ActionPlace?

    /// Changes nothing at first.
    public init(version: Int) {
        self.version = version
    }

    /// Whether more than column and position changes.
    var changesContent: Bool {
        title != nil || notes != nil || quote != nil || quoteReaders != nil || assignee != nil || due != nil
    }

    /// The content after the change.
    /// - Throws: as `ActionContent.validated`.
    func applied(to content: ActionContent) throws(AppError) -> ActionContent {
        var changed = content
        if let title { changed.title = title }
        if let notes { changed.notes = notes }
        if let quote { changed.quote = quote }
        if let quoteReaders { changed.quoteReaders = quoteReaders }
        if let assignee { changed.assignee = assignee }
        if let due { changed.due = due }
        return try changed.validated()
    }
}
