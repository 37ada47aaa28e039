import Domain
import Foundation
import Hummingbird
import Services

/// A team's members, invitations and share link.
struct TeamMemberPageController: Sendable {
    let forms: ManageForms
    let teams: TeamService
    let invitations: InvitationService
    let pictures: PictureLinks
    let publicURL: String

    /// `GET /teams/{team}/manage/members?search=&after=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let place = MemberListPosition(request)
        return try await forms.show(request, context) { try await page($0, at: place) }
    }

    private struct RoleForm: Decodable {
        let user: String
        let role: String
    }

    /// `POST /teams/{team}/manage/members/role?search=&after=`
    func changeRole(_ request: Request, context: AppRequestContext) async throws -> Response {
        let place = MemberListPosition(request)
        return try await forms.submit(RoleForm.self, request, context) {
            try await page($0, at: place)
        } response: { form, visit in
            let team = try visit.visitedTeam().team.id
            guard let role = Membership.Role(rawValue: form.role) else {
                throw AppError(.malformed, "There’s no such role.")
            }
            let member = try await present(visit) {
                try await teams.setRole(role, of: Self.user(form.user), in: team, by: visit.principal.caller)
            }
            // A member who gave up the lead role no longer has access to these pages.
            let isClosed = member.user.id == visit.user.id && visit.user.role != .admin && role != .lead
            return isClosed
                ? .seeOther(.live(of: team)) : try Self.done(.role, at: place, for: visit)
        }
    }

    private struct MemberForm: Decodable {
        let user: String
    }

    /// `POST /teams/{team}/manage/members/remove?search=&after=`
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        let place = MemberListPosition(request)
        return try await forms.submit(MemberForm.self, request, context) {
            try await page($0, at: place)
        } response: { form, visit in
            let team = try visit.visitedTeam().team.id
            let userID = Self.user(form.user)
            try await present(visit) {
                try await teams.removeMember(userID, from: team, by: visit.principal.caller)
            }
            let isClosed = userID == visit.user.id && visit.user.role != .admin
            return isClosed ? .seeOther(.start) : try Self.done(.removed, at: place, for: visit)
        }
    }

    /// `POST /teams/{team}/manage/members/mail-again?search=&after=`
    func mailAgain(_ request: Request, context: AppRequestContext) async throws -> Response {
        let place = MemberListPosition(request)
        return try await forms.submit(MemberForm.self, request, context) {
            try await page($0, at: place)
        } response: { form, visit in
            let team = try visit.visitedTeam().team.id
            try await present(visit) {
                try await teams.liftAddressFault(of: Self.user(form.user), in: team, by: visit.principal.caller)
            }
            return try Self.done(.mailAgain, at: place, for: visit)
        }
    }

    private struct InviteForm: Decodable {
        /// One or more addresses.
        let emails: String
        let role: String?
        let language: String?
    }

    /// `POST /teams/{team}/manage/members/invite`: if an invitation fails, shows the page again with the address and
    /// the reason.
    func invite(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = TeamMemberPage.Drafts()
        return try await forms.submit(InviteForm.self, request, context) {
            try await page($0, typed: typed)
        } response: { form, visit in
            typed = TeamMemberPage.Drafts(
                emails: form.emails, role: form.role.flatMap(Membership.Role.init(rawValue:)) ?? .member,
                language: form.language.flatMap(MailLocale.init(installed:)))
            let list = try InvitationLines(form.emails, visit.words)
            let report = try await list.people.asyncMap { person in
                try await invite(person, with: typed, visit)
            }
            guard report.contains(where: { !$0.isInvited }) else {
                return try ManageForms.done(.invited, for: visit)
            }
            typed.emails = report.filter { !$0.isInvited }.map(\.email).joined(separator: "\n")
            typed.report = report
            return try forms.pages.response(
                try await page(visit, typed: typed), in: visit.frame,
                status: report.contains(where: \.isInvited) ? .ok : .unprocessableContent)
        }
    }

    private struct InvitationForm: Decodable {
        let invitation: String
    }

    /// `POST /teams/{team}/manage/members/resend`
    func resend(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(InvitationForm.self, request, context, then: .resent) {
            try await page($0)
        } _: { form, visit in
            _ = try await invitations.resend(Self.invitation(form.invitation), by: visit.principal.caller)
        }
    }

    /// `POST /teams/{team}/manage/members/withdraw`
    func withdraw(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(InvitationForm.self, request, context, then: .withdrawn) {
            try await page($0)
        } _: { form, visit in
            try await invitations.withdraw(Self.invitation(form.invitation), by: visit.principal.caller)
        }
    }

    /// `POST /teams/{team}/manage/members/share`: only this response contains the address; it is not stored.
    func share(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context) {
            try await page($0)
        } response: { _, visit in
            let token = try await teams.share(try visit.visitedTeam().team.id, by: visit.principal)
            let addresses = TeamMemberPage.Sharing.Addresses(
                page: publicURL + SitePath.wallboard(token).path, chart: publicURL + SitePath.sharedChart(token).path)
            return try forms.pages.response(try await page(visit, sharedAt: addresses), in: visit.frame)
        }
    }

    /// `POST /teams/{team}/manage/members/unshare`
    func unshare(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .unshared) {
            try await page($0)
        } _: { _, visit in
            try await teams.unshare(try visit.visitedTeam().team.id, by: visit.principal)
        }
    }

    /// Redirects to the page of the list from which the form came, with the success message.
    private static func done(
        _ notice: ManageNotice, at place: MemberListPosition, for visit: PageVisit
    ) throws -> Response {
        .seeOther(place.address(on: try notice.page(for: visit), done: notice))
    }

    /// Changes a member, whom another lead may have removed meanwhile.
    private func present<Result>(_ visit: PageVisit, _ change: () async throws -> Result) async throws -> Result {
        do {
            return try await change()
        } catch let error as AppError where error.reason == .noSuchUser {
            throw FormProblem(visit.words.text("members.gone"))
        }
    }

    /// A malformed id is treated as an unknown user.
    private static func user(_ text: String) -> User.ID { User.ID(text) ?? .random() }
    private static func invitation(_ text: String) -> Invitation.ID { Invitation.ID(text) ?? .random() }

    private func invite(
        _ person: AddressList.Entry, with drafts: TeamMemberPage.Drafts, _ visit: PageVisit
    ) async throws -> TeamMemberPage.Report {
        let words = visit.words
        func report(_ text: String, isInvited: Bool = false) -> TeamMemberPage.Report {
            TeamMemberPage.Report(email: person.text, text: text, isInvited: isInvited)
        }
        guard !person.isDisabled else { return report(words.text("invite.disabledInList")) }
        guard let email = try? EmailAddress(person.text) else { return report(words.text("forgotten.notAnAddress")) }
        let new = NewInvitation(
            // A guest of the installation can invite guests only.
            email: email, role: visit.user.role == .guest ? .guest : .member,
            teamID: try visit.visitedTeam().team.id,
            teamRole: drafts.role, locale: drafts.language)
        do {
            switch try await invitations.invite(new, by: visit.principal.caller) {
            case .invited: return report(words.text("invite.invited"), isInvited: true)
            case .alreadyAMember, .alreadyAUser: return report(words.text("invite.alreadyAMember"))
            }
        } catch let error as AppError where error.code != .unavailable && error.code != .unauthenticated {
            return report(words.text(for: error))
        }
    }

    private func page(
        _ visit: PageVisit, at place: MemberListPosition = .init(), typed: TeamMemberPage.Drafts = .init(),
        sharedAt: TeamMemberPage.Sharing.Addresses? = nil
    ) async throws -> TeamMemberPage {
        let visited = try visit.visitedTeam()
        let caller = visit.principal.caller
        var place = place
        var list = try await teams.people(of: visited.team.id, matching: place.search, after: place.after, by: caller)
        if list.people.isEmpty, place.after != nil {
            // Everyone on this page has left, perhaps by the form that was just sent.
            place = place.firstPage
            list = try await teams.people(of: visited.team.id, matching: place.search, after: nil, by: caller)
        }
        let isFirst = place.after == nil
        // Reads the current state: the form may have changed it.
        let isShared = try await teams.find(id: visited.team.id)?.shareTokenHash != nil
        return TeamMemberPage(
            ManageHead(visit, visited.team, address: .members(of: visited.team.id)), team: visited.team.id,
            members: list.people, place: place, nextAfter: list.nextAfter,
            sharedMailboxes: isFirst ? try await teams.sharedMailboxes(of: visited.team.id, by: caller) : [],
            invitations: isFirst ? try await invitations.list(teamID: visited.team.id, by: caller) : [],
            drafts: typed,
            sharing: isFirst && visited.role == .lead ? .init(isShared: isShared, addresses: sharedAt) : nil,
            visit: visit, pictures: pictures)
    }
}

extension Sequence {
    /// Like `map`, but awaits each element before the next.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
