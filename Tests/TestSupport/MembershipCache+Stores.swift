package import Services

extension MembershipCache {
    /// For a process that does not hear what others revoke, and therefore reads every membership and session from the
    /// store.
    package convenience init(stores: Stores, clock: WallClock) {
        self.init(
            teams: stores.teams, revocations: RevocationFeed(sessions: stores.sessions, clock: clock), clock: clock)
    }
}
