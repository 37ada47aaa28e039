/// When ballots become visible to the team.
package enum PublicationPolicy: String, Sendable, Codable, CaseIterable {
    /// While the sprint runs, in groups of k with a delay of one group; everything at its end.
    case live
    /// Once, at the sprint's end or when every member has voted.
    case close
    /// Every ballot immediately. No protection: anyone who looks before and after a colleague votes knows their value.
    case immediate
}

extension PublicationPolicy {
    /// The policy of a sprint that starts now. `live` publishes its first group when a second one is complete, so a team
    /// with fewer than two groups of members would see nothing before the end: its sprint is `close`, and says so.
    /// - Parameters:
    ///   - members: number of members at the start.
    ///   - threshold: the size of a group.
    package func starting(with members: Int, threshold: Int) -> PublicationPolicy {
        self == .live && members < 2 * threshold ? .close : self
    }
}
