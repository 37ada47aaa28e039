import Hummingbird
import Shared

extension PageRenderer {
    /// Runs the handler of a page behind a mailed link for the link's owner, in their language. A link that does not
    /// count, or counts no more while the handler runs, is answered with `expired`.
    /// - Parameters:
    ///   - owner: whose link it is; throws `AppError.linkExpired`.
    ///   - expired: tells how to get another one, to somebody of whom only the browser's language is known.
    func answeringOwner(
        _ request: Request, owner: () async throws -> User,
        expired: (PageFrame, PageWords) -> MessagePage,
        handle: (User, PageFrame) async throws -> Response
    ) async throws -> Response {
        let stranger = PageFrame(request)
        return try await answering(stranger) {
            do {
                let user = try await owner()
                return try await handle(user, PageFrame(request, userLocale: user.locale))
            } catch let error as AppError where error == .linkExpired {
                return try response(expired(stranger, words(stranger)), in: stranger, status: .unprocessableContent)
            }
        }
    }

    /// The form of a page behind a mailed link; one that cannot be read is answered with a page that says so.
    func answeringForm<Form: Decodable>(
        _ type: Form.Type, in request: Request, _ handle: (Form) async throws -> Response
    ) async throws -> Response {
        let form: Form
        do {
            form = try await ClassicBody.decode(type, from: request)
        } catch {
            return try await answering(PageFrame(request)) { throw error }
        }
        return try await handle(form)
    }
}
