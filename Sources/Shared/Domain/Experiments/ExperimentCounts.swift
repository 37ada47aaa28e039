/// The number of people on a side, and how many of them voted.
package struct SideCounts: Hashable, Sendable {
    /// Members of the team.
    package var members: Int
    /// The members who voted.
    package var voted: Int

    /// Counts of one side; zero by default.
    package init(members: Int = 0, voted: Int = 0) {
        self.members = members
        self.voted = voted
    }

    /// Share of members who voted, 0...1; zero members give `nil`.
    package var participation: Double? { members == 0 ? nil : Double(voted) / Double(members) }
}

/// The counts of both sides.
package struct ExperimentCounts: Hashable, Sendable {
    /// Members who got wording A.
    package var a: SideCounts
    /// Members who got wording B.
    package var b: SideCounts

    /// Counts of both sides; zero by default.
    package init(a: SideCounts = SideCounts(), b: SideCounts = SideCounts()) {
        self.a = a
        self.b = b
    }

    /// The counts of one side.
    package subscript(side: ReminderExperiment.Side) -> SideCounts {
        get {
            switch side {
            case .a: a
            case .b: b
            }
        }
        set {
            switch side {
            case .a: a = newValue
            case .b: b = newValue
            }
        }
    }

    /// Adds the counts of two sprints, side by side.
    static func + (left: Self, right: Self) -> Self {
        Self(
            a: SideCounts(members: left.a.members + right.a.members, voted: left.a.voted + right.a.voted),
            b: SideCounts(members: left.b.members + right.b.members, voted: left.b.voted + right.b.voted))
    }
}
