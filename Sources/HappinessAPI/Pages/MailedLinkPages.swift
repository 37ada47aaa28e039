import Domain
import Hummingbird

extension PageRenderer {
    /// Handles a request behind a mailed link, in the language of the link's owner. Responds with `expired` if the link
    /// is not valid, or becomes invalid while the handler runs.
    /// - Parameters:
    ///   - owner: the link's owner; throws `AppError.linkExpired`.
    ///   - expired: a page that says how to get another link; only the browser's language is known then.
    func renderingErrorsForOwner(
        _ request: Request, handle: (User, PageFrame) async throws -> Response, owner: () async throws -> User,
        expired: (PageFrame, LocalizedTexts) -> MessagePage
    ) async throws -> Response {
        let stranger = PageFrame(request)
        return try await renderingErrors(stranger) {
            do {
                let user = try await owner()
                return try await handle(user, PageFrame(request, userLocale: user.locale))
            } catch let error as AppError where error == .linkExpired {
                return try response(expired(stranger, words(stranger)), in: stranger, status: .unprocessableContent)
            }
        }
    }

    /// Decodes the form of a page behind a mailed link; an invalid form gets an error page.
    func submitting<Form: Decodable>(
        _ type: Form.Type, in request: Request, _ handle: (Form) async throws -> Response
    ) async throws -> Response {
        let form: Form
        do {
            form = try await FormBody.decode(type, from: request)
        } catch {
            return try await renderingErrors(PageFrame(request)) { throw error }
        }
        return try await handle(form)
    }
}
