import Hummingbird
import Shared

/// The picture of the one who asks.
struct PictureController: Sendable {
    let pictures: PictureService
    let removals: PictureRemovalService
    let links: PictureLinks
    let uploads: UploadFolder

    /// `PUT /api/v1/me/picture`: the picture itself, or a form with the part `image`.
    func upload(_ request: Request, context: AppRequestContext) async throws -> Response {
        let picture = try await receive(request, by: try context.requirePrincipal())
        return try JSONBody.response(PictureResponse(picture, links: links))
    }

    private struct ClassicUploadResponse: Encodable {
        let profilePictureLink: String
    }

    /// `POST /user/uploadProfilePicture`, as the first clients call it.
    func uploadClassic(_ request: Request, context: AppRequestContext) async throws -> Response {
        let picture = try await receive(request, by: try context.requirePrincipal())
        return try JSONBody.response(
            ClassicUploadResponse(profilePictureLink: links.link(to: picture, .large, .jpeg).url))
    }

    /// `DELETE /api/v1/me/picture`; there may be none.
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await removals.remove(by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    /// The picture in a request, from now on the caller's.
    /// - Parameter check: of a form from a browser, given its token before any of the picture is read.
    @discardableResult
    func receive(
        _ request: Request, by caller: Principal, checking check: PictureUpload.FormCheck? = nil
    ) async throws -> ProfilePicture {
        try await pictures.admit(caller) {
            try await uploads.withFile { file in
                try await PictureUpload.receive(request, into: file, checking: check)
                return try await pictures.replace(of: caller, with: file.path)
            }
        }
    }
}
