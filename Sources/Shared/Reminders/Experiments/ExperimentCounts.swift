/// How many people were on a side, and how many of them voted.
public struct SideCounts: Hashable, Sendable {
    /// Members of the team.
    public var members: Int
    /// Those of them who voted.
    public var voted: Int

    /// Counts of one side.
    public init(members: Int = 0, voted: Int = 0) {
        self.members = members
        self.voted = voted
    }

    /// Share of members who voted, 0...1; zero members give `nil`.
    public var participation: Double? {
        members == 0 ? nil : Double(voted) / Double(members)
    }
}

/// Both sides' counts.
public struct ExperimentCounts: Hashable, Sendable {
    /// Those who got wording A.
    public var a: SideCounts
    /// Those who got wording B.
    public var b: SideCounts

    /// Counts of both sides.
    public init(a: SideCounts = SideCounts(), b: SideCounts = SideCounts()) {
        self.a = a
        self.b = b
    }

    /// One side's.
    subscript(side: ReminderExperiment.Side) -> SideCounts {
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

    /// Both together, sprint upon sprint.
    static func + (left: Self, right: Self) -> Self {
        Self(
            a: SideCounts(members: left.a.members + right.a.members, voted: left.a.voted + right.a.voted),
            b: SideCounts(members: left.b.members + right.b.members, voted: left.b.voted + right.b.voted))
    }
}
