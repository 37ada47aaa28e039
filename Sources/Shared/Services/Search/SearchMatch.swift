package import Domain

/// A thing that a search has found, and that its reader may see.
package struct SearchMatch: Hashable, Sendable {
    /// The object found, and its place.
    package enum Target: Hashable, Sendable {
        /// A team that the reader is in, or, for an admin, any.
        case team(Team.ID, isMember: Bool)
        case person(User.ID, PersonPlace)
        /// A page of the web app, by its path.
        case page(String)
        case action(Action.ID, Team.ID)
        case sprint(SprintLabel, Team.ID)
        /// A released feedback. `after` is the text before the page of a sprint that begins with it; `nil` if it is
        /// among the first ones.
        case feedback(Feedback.ID, SprintLabel, Team.ID, after: Feedback.ID?)

        /// The order of kinds among equally good matches.
        fileprivate var order: Int {
            switch self {
            case .team: 0
            case .person: 1
            case .page: 2
            case .action: 3
            case .sprint: 4
            case .feedback: 5
            }
        }
    }

    /// Where a reader finds a person.
    package enum PersonPlace: Hashable, Sendable {
        /// On the page of the account, which admins see.
        case account
        /// In the list of the team's members, for those who manage it. The list finds the person by the name.
        case memberList(Team.ID, name: String)
        /// On the team's board: a colleague has no page, and the board says what they work on.
        case board(Team.ID)
    }

    package let target: Target
    /// In the reader's language.
    package let title: String
    /// The context, such as a team; may be empty.
    package let detail: String
    package let rank: SearchTerms.Rank

    /// - Parameter rank: how well it matches; the same terms must have ranked all matches of a search.
    package init(_ target: Target, title: String, detail: String, rank: SearchTerms.Rank) {
        self.target = target
        self.title = title
        self.detail = detail
        self.rank = rank
    }

    /// The number of matches a reader can take in at a glance.
    package static let shown = 6
    /// Matches of one kind that are shown if there are others to fill the list.
    private static let shownOfKind = 3

    /// The best six, the best first. One kind fills more than half of them only if there is too little else.
    package static func best(of matches: [SearchMatch]) -> [SearchMatch] {
        // The order of equally good matches of a kind stays.
        let sorted = matches.enumerated().sorted {
            ($0.element.rank, $0.element.target.order, $0.offset) < (
                $1.element.rank, $1.element.target.order, $1.offset
            )
        }
        var counts: [Int: Int] = [:]
        var chosen: [(offset: Int, element: SearchMatch)] = []
        var others: [(offset: Int, element: SearchMatch)] = []
        for match in sorted {
            counts[match.element.target.order, default: 0] += 1
            if counts[match.element.target.order, default: 0] <= shownOfKind {
                chosen.append(match)
            } else {
                others.append(match)
            }
        }
        let shown = Set((chosen + others).prefix(Self.shown).map(\.offset))
        return sorted.filter { shown.contains($0.offset) }.map(\.element)
    }
}
