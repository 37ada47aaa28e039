import Shared

/// Somebody at a page behind the log-in.
struct PageVisit: Sendable {
    let principal: Principal
    let user: User
    let frame: PageFrame
    /// The texts of the frame's language.
    let words: PageWords
    /// The team the page is about; `nil` on a page about none.
    let team: VisitedTeam?
    /// What was just carried out.
    var done: String?
    /// Why the form is shown again.
    var problem: String?

    /// The team of a page whose path names one.
    /// - Throws: `AppError.notFound` on any other page.
    func visitedTeam() throws -> VisitedTeam {
        guard let team else { throw AppError.noSuchTeam }
        return team
    }
}

/// The team a page is about, and what its viewer is there.
struct VisitedTeam: Sendable {
    let team: Team
    /// `nil` for an administrator who manages the team and is not in it.
    let role: Membership.Role?
}

/// Whom a page is for. It decides what is around the page and who is told that there is none; what somebody may do is
/// decided by the services.
enum PageAudience: Sendable {
    /// Everybody who is logged in; the page is about no team.
    case member
    /// Who is in the team of the path.
    case team
    /// Who leads the team of the path, and administrators.
    case manager
    /// Administrators; the page is about no team.
    case admin
}
