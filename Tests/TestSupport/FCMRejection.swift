import HTTPTypes
import Hummingbird
import NIOCore

/// An error response of FCM.
struct FCMRejection: Error {
    let status: Int
    /// The name of the status.
    let name: String
    let message: String
    /// FCM's own error code.
    var errorCode: String?
    var violation: FCMSchema.Violation?
    var retryAfter: String?
    /// Sent instead of an FCM error.
    var foreignBody: String?

    static let unauthenticated = FCMRejection(
        status: 401, name: "UNAUTHENTICATED", message: "Request had invalid authentication credentials.")

    /// An error of the JSON parser in front of FCM has no FCM code.
    static func schema(_ violation: FCMSchema.Violation) -> FCMRejection {
        FCMRejection(status: 400, name: "INVALID_ARGUMENT", message: violation.description, violation: violation)
    }

    static func invalidArgument(field: String?, description: String) -> FCMRejection {
        FCMRejection(
            status: 400, name: "INVALID_ARGUMENT", message: description, errorCode: "INVALID_ARGUMENT",
            violation: field.map { FCMSchema.Violation(field: $0, description: description) })
    }

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
        headers[.retryAfter] = retryAfter
        return Response(
            status: .init(code: status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: foreignBody ?? body)))
    }

    private var body: String {
        var details: [String] = []
        if let errorCode {
            let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
            details.append(#"{"@type":"\#(type)","errorCode":"\#(errorCode)"}"#)
        }
        if let violation {
            let text = Self.quoted(violation.description)
            let fields = #"[{"field":"\#(violation.field)","description":\#(text)}]"#
            details.append(#"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":\#(fields)}"#)
        }
        let list = details.isEmpty ? "" : #","details":[\#(details.joined(separator: ","))]"#
        return #"{"error":{"code":\#(status),"message":\#(Self.quoted(message)),"status":"\#(name)"\#(list)}}"#
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

extension FCMRejection {
    /// `nil` for a fault that accepts the message.
    init?(_ fault: FCMSimulator.Fault) {
        switch fault {
        case .unregistered:
            self.init(
                status: 404, name: "NOT_FOUND", message: "Requested entity was not found.", errorCode: "UNREGISTERED")
        case .senderIDMismatch:
            self.init(
                status: 403, name: "PERMISSION_DENIED", message: "SenderId mismatch", errorCode: "SENDER_ID_MISMATCH")
        case .invalidArgument(let field):
            let message = "The registration token is not a valid FCM registration token"
            self = .invalidArgument(field: field, description: message)
        case .thirdPartyAuthenticationError:
            self.init(
                status: 401, name: "UNAUTHENTICATED", message: "Auth error from APNS or Web Push Service",
                errorCode: "THIRD_PARTY_AUTH_ERROR")
        case .quotaExceeded(let retryAfter):
            self.init(
                status: 429, name: "RESOURCE_EXHAUSTED", message: "Quota exceeded.", errorCode: "QUOTA_EXCEEDED",
                retryAfter: retryAfter)
        case .internalError:
            self.init(status: 500, name: "INTERNAL", message: "Internal error encountered.", errorCode: "INTERNAL")
        case .unavailable(let retryAfter):
            self.init(
                status: 503, name: "UNAVAILABLE", message: "The service is currently unavailable.",
                errorCode: "UNAVAILABLE", retryAfter: retryAfter)
        case .unauthenticated: self = .unauthenticated
        case .status(let status): self.init(status: status, name: "", message: "", foreignBody: "<html></html>")
        case .broken: return nil
        }
    }
}
