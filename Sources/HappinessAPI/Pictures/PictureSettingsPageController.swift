import Domain
import HTTPTypes
import Hummingbird
import Services

/// Changes or removes the user's picture.
struct PictureSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let pictures: PictureController

    /// `GET /settings/picture`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    /// `POST /settings/picture`: a form with the file; the form token must come first.
    func upload(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.withVisitor(request, context) { visit in
            try await forms.keepingForm(visit, orShow: page) {
                try await pictures.receive(request, by: visit.principal) { token in
                    try forms.viewers.browsers.require(token, of: visit.principal)
                }
                return try SettingsForms.done(.picture, for: visit)
            }
        }
    }

    /// `POST /settings/picture/remove`; succeeds if there is none.
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .pictureRemoved, orShow: page) { _, visit in
            try await pictures.removals.remove(by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit) async throws -> PictureSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return PictureSettingsPage(
            name: user.shownName, pictureLink: pictures.links.link(toPictureOf: user, .large, .webp).url,
            hasPicture: user.picture != nil, problem: visit.problem)
    }
}

/// The form for another picture.
struct PictureSettingsPage: Page {
    static let template = "settings-picture"

    let name: String
    let pictureLink: String
    /// Whether the user has uploaded a picture, which can be removed.
    let hasPicture: Bool
    let problem: FormProblem?
}
