import Foundation
import Hummingbird
import Shared

/// Which part of a team's history somebody wants to see: `year=2025`, `year=all`, or `from=2025/3&to=2026/2`; without
/// these the last twelve months.
enum HistoryStretch: Hashable {
    case lastYear
    case everything
    case year(Int)
    case sprints(from: SprintLabel, through: SprintLabel)

    /// Longer than a year of any calendar (53 weeks), shorter than one and a sprint.
    private static let year = TimeInterval(372 * 86_400)

    /// - Throws: `AppError.malformed`.
    init(_ request: Request) throws {
        if request.query("year") == "all" {
            self = .everything
            return
        }
        switch try request.sprintFilter() {
        case .all: self = .lastYear
        case .year(let year): self = .year(year)
        case .range(let from, let through):
            let isInOrder = (from.year, from.number, from.suffix) <= (through.year, through.number, through.suffix)
            self = isInOrder ? .sprints(from: from, through: through) : .sprints(from: through, through: from)
        }
    }

    /// Those of the publications, in order of start, that lie in the stretch.
    func part(of publications: [Publication]) -> [Publication] {
        switch self {
        case .lastYear:
            guard let last = publications.last(where: \.isPublished) else { return [] }
            return publications.filter { last.sprint.start.timeIntervalSince($0.sprint.start) < Self.year }
        case .everything: return publications
        case .year(let year): return publications.filter { $0.sprint.label.year == year }
        case .sprints(let from, let through):
            return publications.filter { publication in
                let label = publication.sprint.label
                return (from.year, from.number) <= (label.year, label.number)
                    && (label.year, label.number) <= (through.year, through.number)
            }
        }
    }

    /// Whether every sprint of the part has a number of its own, so that a year before is another one.
    static func isComparable(_ part: [Publication]) -> Bool {
        guard let first = part.first, let last = part.last else { return false }
        return last.sprint.start.timeIntervalSince(first.sprint.start) < year
    }
}
