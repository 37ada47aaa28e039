/// The collections by their names in the database. Migrations spell the names out instead: they describe the past and
/// must not follow a renaming here.
enum MongoCollectionName: String, CaseIterable {
    case users
    case sessions
    case loginFailures
    /// How often something was taken away from the users of a slot (`RevocationSlot`).
    case revocations
    case oneTimeTokens
    /// Times at which each key's places were taken.
    case quotas
    case invitations
    case registrations
    case externalIdentities
    case teams
    case memberships
    case reminderSettings
    /// Sprints with their aggregates.
    case happiness
    /// Receipts: that a member voted, but not who or what.
    case userSprints
    /// Ballot papers that have been used.
    case spentPapers
    /// Commitments to the values of ballots.
    case commitments
    /// The keys that sign ballot papers.
    case ballotKeys
    case feedback
    /// Phones and browsers that get push messages.
    case devices
    case jobs
    /// Reminders and messages.
    case deliveries
    /// Batches of deliveries.
    case deliveryBatches
    /// Wordings of reminders that are compared with each other.
    case reminderExperiments
    /// The results of experiments per sprint.
    case experimentSprints
    /// Cards on the boards of teams.
    case actions
    /// Errors reported by apps, one document per group.
    case clientErrors
    /// Heartbeats of processes.
    case processes
    /// The newest time that the installation has accepted as right.
    case clock
    /// Texts that the installation has customised.
    case ownTexts
    /// Hashes of what was deleted at a person's request.
    case deletions
    /// Fingerprints of the secrets used with this store.
    case fingerprints
    /// Migrations that have run.
    case migrations
}
