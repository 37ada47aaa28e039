import Domain
import Hummingbird
import Ports
import Services

extension VotePageController {
    /// `GET /teams/{team}/vote/later`: asks whether to remind the viewer again. Reminders lead here. Without a vote to
    /// give, or another reminder, it redirects to the live view.
    func askToPostpone(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            guard let sprint = try await openSprint(of: viewed),
                let day = try await absences.nextReminder(of: viewed.team, in: sprint, for: viewed.user)
            else { return .seeOther(.live(of: viewed.team.id)) }
            let page = VoteLaterPage(day, in: viewed.team, words: pages.words(viewed.frame), now: clock.now)
            return try pages.response(page, in: viewed.frame)
        }
    }

    /// `POST /teams/{team}/vote/later`: the viewer wants to be reminded again on the next working day.
    func postpone(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.teamFrame(request, context: context)
            let voter = try context.requirePrincipal()
            let form = try await FormBody.decode(OwnForm<NoFields>.self, from: request)
            try browsers.require(form.formToken, of: voter)
            let live = SitePath.live(of: viewed.team.id)
            guard let sprint = try await openSprint(of: viewed),
                let day = try await absences.postpone(viewed.team, in: sprint, for: viewed.user, by: voter)
            else { return .seeOther(live) }
            let words = pages.words(viewed.frame)
            let text = words.text("vote.remindText", ["day": SprintTexts.text(of: day, words)])
            let page = MessagePage(
                title: words.text("vote.remindTitle"), text: text,
                next: .init(address: live, label: words.text("vote.backToTeam")))
            return try pages.response(page, in: viewed.frame)
        }
    }
}
