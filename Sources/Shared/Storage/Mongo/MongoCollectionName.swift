/// The collections, by the names they have in the database. Migrations write the names out instead: they describe the
/// past, and the past does not follow a renaming here.
enum MongoCollectionName: String, CaseIterable {
    case users
    case sessions
    case loginFailures
    case oneTimeTokens
    /// When each key's places were taken.
    case quotas
    case invitations
    case registrations
    case externalIdentities
    case teams
    case memberships
    case reminderSettings
    /// Sprints with their aggregates.
    case happiness
    /// Receipts: that somebody voted, not who and not what.
    case userSprints
    case feedback
    /// Phones and browsers that get messages.
    case devices
    case jobs
    /// Reminders and messages.
    case deliveries
    /// Their parts.
    case deliveryBatches
    /// Wordings of reminders that are set against each other.
    case reminderExperiments
    /// What came of them, sprint by sprint.
    case experimentSprints
    /// Cards on the boards of teams.
    case actions
    /// Errors that apps report, group by group.
    case clientErrors
    /// Signs of life.
    case processes
    /// Texts of the installation's own.
    case ownTexts
    /// Fingerprints of the secrets the store is used with.
    case fingerprints
    /// Which migrations ran.
    case migrations
}
