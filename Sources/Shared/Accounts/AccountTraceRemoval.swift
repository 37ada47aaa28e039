/// Removes what is left of accounts that were deleted.
public struct AccountTraceRemoval: Sendable {
    /// One kind of trace. Each can be removed without the others and again after it was: a step that failed is repeated,
    /// alone or with the rest.
    public enum Step: String, Sendable, CaseIterable {
        /// Jobs that name them, but the one that does this.
        case jobs
        /// The objects of their picture.
        case picture
        /// How often a log-in failed.
        case failedLogIns
        /// Invitations to their address and by them, and the links of these.
        case invitations
        /// The registration with their address, and its links.
        case registration
        /// Their name on actions: where a process deleted the account that was older than actions.
        case actions
        /// Closes the sprints in which everybody who is left has voted.
        case completeSprints
    }

    private let stores: Stores
    private let pictures: PictureObjects
    private let sprints: SprintService

    /// - Parameters:
    ///   - objects: where pictures are kept.
    ///   - secret: what receipts are keyed with.
    public init(
        stores: Stores, objects: any ObjectStore, secret: BallotSecret, clock: WallClock,
        timing: SprintTiming = .trusted
    ) {
        self.stores = stores
        pictures = PictureObjects(objects: objects)
        sprints = SprintService(stores: stores, secret: secret, clock: clock, timing: timing)
    }

    /// Removes one kind of trace, or finds that it is gone.
    /// - Parameter job: the job this is done for, which names the account too and stays.
    /// - Throws: `AppError`, `ObjectStoreError`; nothing is undone then.
    public func remove(_ step: Step, of traces: AccountTraces, for job: Job.ID) async throws {
        switch step {
        case .jobs: try await stores.jobs.deleteAll(naming: traces.userID, except: job)
        case .picture: if let picture = traces.picture { try await pictures.remove(picture) }
        case .failedLogIns:
            for key in traces.failureKeys { try await stores.sessions.clearFailures(key: Array(key)) }
        case .invitations:
            let sent = try await stores.invitations.list(inviterID: traces.userID)
            for id in traces.invitationIDs + sent.map(\.id) {
                try await stores.tokens.deleteAll(purpose: .invitation, subject: id.description)
                _ = try await stores.invitations.delete(id: id)
            }
        case .registration:
            guard let id = traces.registrationID else { return }
            try await stores.tokens.deleteAll(purpose: .registration, subject: id.description)
            try await stores.registrations.delete(id: id)
        case .actions: try await stores.actions.release(assignee: traces.userID)
        case .completeSprints: try await closeCompleteSprints(of: traces.teamIDs)
        }
    }

    private func closeCompleteSprints(of teams: [Team.ID]) async throws {
        for teamID in teams {
            for sprint in try await sprints.openSprints(of: teamID) {
                try await sprints.closeIfEveryoneVoted(sprint.key)
            }
        }
    }
}
