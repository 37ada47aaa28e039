/// What to change of an action; `nil` leaves a value as it is, `.some(nil)` takes it away.
public struct ActionChange: Sendable {
    /// The version the change was made from.
    public let version: Int
    /// Not yet validated, as the other texts.
    public var title: String?
    /// More about it.
    public var notes: String?
    /// The copy of a feedback.
    public var quote: String??
    /// Who reads the copy.
    public var quoteReaders: Team.FeedbackReaders?
    /// Who sees to it.
    public var assignee: User.ID??
    /// The last day for it.
    public var due: CalendarDay??
    /// Another column.
    public var state: Action.State?
    /// Another place; without one, an action that changes its column goes to the standard place there.
    public var place: ActionPlace?

    /// Nothing yet, of an action in that version.
    public init(version: Int) {
        self.version = version
    }

    /// Whether more than column and place changes.
    var changesContent: Bool {
        title != nil || notes != nil || quote != nil || quoteReaders != nil || assignee != nil || due != nil
    }

    /// The content with what changes of it.
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
