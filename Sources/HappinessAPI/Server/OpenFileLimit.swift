import Glibc

/// The limit of open files of the process; each connection needs one.
enum OpenFileLimit {
    /// Files needed besides connections: store, log, and outgoing connections.
    static let reserve = 256

    /// Raises the soft limit to at most the hard one (getrlimit(2)). By default it is 1,024 almost everywhere, for
    /// programs that use select(2).
    /// - Returns: how many of `connections` fit.
    static func raise(forConnections connections: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return connections }
        let wanted = rlim_t(connections + reserve)
        if limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        guard limit.rlim_cur < wanted else { return connections }
        return max(0, Int(limit.rlim_cur) - reserve)
    }
}
