import Domain
import Hummingbird
import Services

/// Uploads and removes the caller's picture.
struct PictureController: Sendable {
    let pictures: PictureService
    let removals: PictureRemovalService
    let links: PictureLinks
    let uploads: UploadFolder

    /// `PUT /api/v1/me/picture`: the raw picture, or a form with the part `image`.
    func upload(_ request: Request, context: AppRequestContext) async throws -> Response {
        let picture = try await receive(request, by: try context.requirePrincipal())
        return try JSONBody.response(PictureResponse(picture, links: links))
    }

    /// `POST /user/uploadProfilePicture`, as the first clients call it.
    func uploadClassic(_ request: Request, context: AppRequestContext) async throws -> Response {
        let picture = try await receive(request, by: try context.requirePrincipal())
        return try JSONBody.response(["profilePictureLink": links.link(to: picture, .large, .jpeg).url])
    }

    /// `DELETE /api/v1/me/picture`; succeeds if there is none.
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await removals.remove(by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    /// Stores the picture of a request as the caller's.
    /// - Parameter check: verifies a browser form's token before any of the picture is read.
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
