import Domain
import Foundation
import Hummingbird
import Storage

/// The requested range of a team's history: `year=2025`, `year=all`, or `from=2025/3&to=2026/2`; defaults to the last
/// twelve months.
enum HistoryRange: Hashable {
    case lastYear
    case everything
    case year(Int)
    case sprints(from: SprintLabel, through: SprintLabel)

    /// Longer than a year in any calendar (53 weeks), shorter than a year and a sprint.
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

    /// The publications in the range; takes them in order of start.
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

    /// Whether all sprint numbers in the range differ, so that the previous year's sprints do not overlap with it.
    static func isComparable(_ part: [Publication]) -> Bool {
        guard let first = part.first, let last = part.last else { return false }
        return last.sprint.start.timeIntervalSince(first.sprint.start) < year
    }
}
