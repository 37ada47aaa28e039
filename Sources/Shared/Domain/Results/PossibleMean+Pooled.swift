extension PossibleMean {
    /// The mean of several closed sprints, with equal weight for every answer, and its possible range. Each sprint
    /// counts its eligible members once.
    /// - Returns: `nil` if nothing of them is published.
    package init?(pooling publications: [Publication]) {
        let parts = publications.filter(\.isPublished)
        let count = parts.reduce(0) { $0 + $1.votes }
        guard count > 0 else { return nil }
        let sum = parts.reduce(0) { $0 + $1.sumInTenths }
        let absent = parts.reduce(0) { $0 + max(($1.eligible ?? $1.votes) - $1.votes, 0) }
        self.init(sumInTenths: sum, votes: count, missing: absent)
    }

    private init(sumInTenths sum: Int, votes: Int, missing: Int) {
        let tenthsOfAll = Double((votes + missing) * 10)
        mean = Double(sum) / Double(votes * 10)
        self.votes = votes
        self.missing = missing
        lowest = Double(sum) / tenthsOfAll
        highest = Double(sum + missing * 100) / tenthsOfAll
    }
}
