import Domain
import Services

/// A request by a logged-in user for a page.
struct PageVisit: Sendable {
    let principal: Principal
    let user: User
    let frame: PageFrame
    /// The texts of the frame's language.
    let words: LocalizedTexts
    /// The page's team; `nil` if it has none.
    let team: VisitedTeam?
    /// The success message, if any.
    var done: String?
    /// Why the form is shown again.
    var problem: FormProblem?

    /// The team in the path.
    /// - Throws: `AppError.notFound` if the path has none.
    func visitedTeam() throws -> VisitedTeam {
        guard let team else { throw AppError.noSuchTeam }
        return team
    }
}

/// The page's team, and the viewer's role in it.
struct VisitedTeam: Sendable {
    let team: Team
    /// `nil` for an administrator who manages the team without being in it.
    let role: Membership.Role?
}

/// Who may see a page. It determines the frame and who gets a 404; the services decide what a user may do.
enum PageAudience: Sendable {
    /// All logged-in users; the page has no team.
    case member
    /// Members of the team in the path.
    case team
    /// Leads of the team in the path, and administrators.
    case manager
    /// Administrators; the page has no team.
    case admin
}
