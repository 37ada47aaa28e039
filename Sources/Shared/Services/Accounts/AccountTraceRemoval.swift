package import Domain
package import Ports
package import Storage

/// Removes the remaining data of deleted accounts.
package struct AccountTraceRemoval: Sendable {
    /// One kind of data. Each step is independent and idempotent: a failed step is repeated, alone or with the rest.
    package enum Step: String, Sendable, CaseIterable {
        /// Jobs that name the user, except the job that runs this.
        case jobs
        /// The objects of their picture.
        case picture
        /// Counters of failed logins.
        case failedLogins = "failedLogIns"
        /// Invitations to their address and by them, with their links.
        case invitations
        /// The registration for their address, with its links.
        case registration
        /// What they said "me too" to; and their name on actions, if the process that deleted the account was older than
        /// actions.
        case actions
        /// Closes the sprints in which all remaining members have voted.
        case completeSprints
    }

    private let stores: Stores
    private let pictures: PictureObjects
    private let sprints: SprintService
    private let secret: BallotSecret

    /// - Parameters:
    ///   - objects: stores the pictures.
    ///   - secret: the key for receipts, and for marks of who supports an action.
    package init(
        stores: Stores, objects: any ObjectStore, secret: BallotSecret, clock: WallClock,
        timing: SprintTiming = .trusted
    ) {
        self.stores = stores
        self.secret = secret
        pictures = PictureObjects(objects: objects)
        sprints = SprintService(stores: stores, secret: secret, clock: clock, timing: timing)
    }

    /// Removes one kind of data, if any is left.
    /// - Parameter job: the job that runs this, which also names the user and is kept.
    /// - Throws: `AppError`, `ObjectStoreError`; data removed so far stays removed.
    package func remove(_ step: Step, of traces: AccountTraces, for job: Job.ID) async throws {
        switch step {
        case .jobs: try await stores.jobs.deleteAll(naming: traces.userID, except: job)
        case .picture: if let picture = traces.picture { try await pictures.remove(picture) }
        case .failedLogins:
            for key in traces.failureKeys { try await stores.write { try $0.deleteLoginFailures(Array(key)) } }
        case .invitations:
            let sent = try await stores.read { try $0.invitations(by: traces.userID) }
            for id in traces.invitationIDs + sent.map(\.id) {
                try await stores.write { try $0.deleteTokens(purpose: .invitation, subject: id.description) }
                _ = try await stores.write { try $0.deleteInvitation(id) }
            }
        case .registration:
            guard let id = traces.registrationID else { return }
            try await stores.write { try $0.deleteTokens(purpose: .registration, subject: id.description) }
            try await stores.write { try $0.deleteRegistration(id) }
        case .actions:
            try await stores.transaction { try $0.releaseActions(of: traces.userID, in: nil) }
            try await stores.rows.removeSupport(by: traces.userID, secret: secret)
        case .completeSprints: try await closeCompleteSprints(of: traces.teamIDs)
        }
    }

    private func closeCompleteSprints(of teams: [Team.ID]) async throws {
        for teamID in teams {
            do {
                for sprint in try await sprints.openSprints(of: teamID) {
                    try await sprints.closeIfEveryoneVoted(sprint.key)
                }
            } catch let error as AppError where error == .noSuchTeam {
                // The team was deleted, too.
            }
        }
    }
}
