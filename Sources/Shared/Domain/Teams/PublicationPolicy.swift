/// When ballots become visible to the team.
package enum PublicationPolicy: String, Sendable, Codable, CaseIterable {
    /// While the sprint runs, in groups of k with a delay of one group; everything at its end.
    case live
    /// Once, at the sprint's end or when every member has voted.
    case close
    /// Every ballot immediately. No protection: anyone who looks before and after a colleague votes knows their value.
    case immediate
}
