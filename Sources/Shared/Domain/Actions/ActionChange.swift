/// A partial change of an action; `nil` leaves a value unchanged, `.some(nil)` clears it.
package struct ActionChange: Sendable {
    /// The version the change is based on.
    package let version: Int
    /// Not yet validated, like the other texts.
    package var title: String?
    /// Further details.
    package var notes: String?
    /// The copy of a feedback text.
    package var quote: String??
    /// Who may read the copy.
    package var quoteReaders: Team.FeedbackReaders?
    /// The member responsible for it.
    package var assignee: User.ID??
    /// The last day, in team time.
    package var due: CalendarDay??
    /// The new column.
    package var state: Action.State?
    /// The new position; without one, an action that changes its column gets the default position there.
    package var place: ActionPosition?

    /// Changes nothing at first.
    package init(version: Int) {
        self.version = version
    }

    /// Whether more than column and position changes.
    package var changesContent: Bool {
        title != nil || notes != nil || quote != nil || quoteReaders != nil || assignee != nil || due != nil
    }

    /// The content after the change.
    /// - Throws: as `ActionContent.validated`.
    package func applied(to content: ActionContent) throws(AppError) -> ActionContent {
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
