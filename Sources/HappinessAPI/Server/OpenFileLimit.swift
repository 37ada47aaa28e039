import Glibc

/// How many files the process may have open; each connection is one.
enum OpenFileLimit {
    /// Beside connections: the store, the log, connections of our own to providers.
    static let reserve = 256

    /// Raises the soft limit, which is 1,024 almost everywhere for the sake of programs that use select(2), as far as
    /// the hard one lets it (getrlimit(2)).
    /// - Returns: how many of the `connections` fit.
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
