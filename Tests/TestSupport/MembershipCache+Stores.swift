package import Ports
package import Services
package import Storage

extension MembershipCache {
    /// For a process that does not hear what others revoke, and therefore reads memberships and sessions again after
    /// `RevocationFeed.trust`.
    package convenience init(stores: Stores, clock: WallClock) {
        self.init(
            store: stores.rows, revocations: RevocationFeed(store: stores.rows, clock: clock), clock: clock)
    }
}
