import Domain
import Foundation
import HTTPTypes
import Hummingbird

/// The format of an error: the first clients read `message`, all others RFC 9457.
enum ErrorStyle {
    /// `/user/…` and `/happiness/…`: `{"message": …}`, and 400 for what v1 calls a conflict or unprocessable.
    case classic
    /// Problem documents.
    case problem

    init(path: String) {
        self = path.hasPrefix("/user/") || path.hasPrefix("/happiness/") ? .classic : .problem
    }

    /// The response to an error, in the language of these texts.
    func response(status: HTTPResponse.Status, error: AppError, in words: LocalizedTexts) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers.name(words.language)
        let message = words.text(for: error.sentence)
        if let seconds = error.retryAfter {
            headers[.retryAfter] = String(seconds)
        }
        if status == .unauthorized {
            headers[.wwwAuthenticate] = "Bearer"
        }
        if status == .requestTimeout || status == .contentTooLarge {
            // So that the client stops sending it (RFC 9110 §15.5.9, §15.5.14); `RequestSequenceHandler` closes the
            // connection.
            headers[.connection] = "close"
        }
        switch self {
        case .classic:
            headers[.contentType] = JSONBody.mediaType
            return Response(status: status, headers: headers, body: JSONBody.of(ClassicMessage(message: message)))
        case .problem:
            headers[.contentType] = "application/problem+json"
            let problem = Problem(status: status, reason: error.reason, detail: message)
            return Response(status: status, headers: headers, body: JSONBody.of(problem))
        }
    }

    /// The only place that maps an error to a status.
    func status(of error: AppError) -> HTTPResponse.Status {
        switch error.code {
        case .malformed: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .conflict: self == .classic && error.reason != .noDefaultTeam ? .badRequest : .conflict
        case .tooSlow: .requestTimeout
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .unprocessable: self == .classic ? .badRequest : .unprocessableContent
        case .tooManyRequests: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }
}

/// A problem document (RFC 9457 §3.1).
private struct Problem: Encodable {
    let type: String
    let title: String
    let status: Int
    let detail: String

    init(status: HTTPResponse.Status, reason: AppError.Reason, detail: String) {
        // A relative reference, resolved against the server (§3.1.1). The API page has a section for each.
        type = SitePath.apiGuide.at(reason.rawValue).description
        title = status.reasonPhrase
        self.status = status.code
        self.detail = detail
    }
}

extension AppError {
    /// Thrown because the first API always uses the default team.
    static let noDefaultTeam = AppError(
        .conflict, "You’re not in a team yet. Please ask your admin to add you to one.", reason: .noDefaultTeam
    )
}
