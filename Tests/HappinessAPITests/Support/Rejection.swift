import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// Checks that a response is an error with this status, in the format of its API.
///
/// - Parameter text: must be part of the message.
func expectRejection(
    _ response: TestResponse, _ status: Int, classic: Bool = false, saying text: String = "", _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let comment = Comment(rawValue: "\(comment) answered \(response.classic)")
    #expect(response.status.code == status, comment, sourceLocation: sourceLocation)
    let object = response.object
    if classic {
        #expect(
            response.headers[.contentType] == "application/json; charset=utf-8", comment, sourceLocation: sourceLocation
        )
        #expect(Set(object.keys) == ["message"], comment, sourceLocation: sourceLocation)
    } else {
        #expect(response.headers[.contentType] == "application/problem+json", comment, sourceLocation: sourceLocation)
        #expect(Set(object.keys) == ["type", "title", "status", "detail"], comment, sourceLocation: sourceLocation)
        #expect(object["status"] as? Int == status, comment, sourceLocation: sourceLocation)
        #expect((object["type"] as? String)?.hasPrefix("/api#") == true, comment, sourceLocation: sourceLocation)
    }
    let words = object[classic ? "message" : "detail"] as? String ?? ""
    #expect(!words.isEmpty, comment, sourceLocation: sourceLocation)
    #expect(text.isEmpty || words.contains(text), comment, sourceLocation: sourceLocation)
    for leak in ["SQL", "GRDB", "mongo", "Swift", "Error(", "DecodingError", "/work", "Sources"] {
        #expect(!response.text.contains(leak), comment, sourceLocation: sourceLocation)
    }
}
