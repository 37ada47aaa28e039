import Foundation
import Testing

@testable import Telemetry

/// What a collector's answer means (https://opentelemetry.io/docs/specs/otlp/#otlphttp-response).
@Suite struct OTLPResponseTests {
    /// 08:49:37 GMT on Sunday, 6 November 1994, as in the examples of RFC 9110.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    private func response(_ status: Int, retryAfter: String? = nil, body: String = "{}") -> OTLPResponse {
        OTLPResponse(status: status, retryAfter: retryAfter, body: Data(body.utf8), now: Self.now)
    }

    @Test(arguments: [429, 502, 503, 504])
    func `An overloaded collector is asked again`(status: Int) {
        #expect(response(status) == .unavailable("the collector answered \(status)", retryAfter: nil))
        #expect(
            response(status, retryAfter: "30")
                == .unavailable("the collector answered \(status)", retryAfter: .seconds(30)))
        // RFC 9110 §10.2.3 also allows a date.
        #expect(
            response(status, retryAfter: "Sun, 06 Nov 1994 08:50:37 GMT")
                == .unavailable("the collector answered \(status)", retryAfter: .seconds(60)))
    }

    @Test(arguments: [307, 400, 401, 403, 404, 408, 413, 415, 500, 501])
    func `Nothing else is sent again`(status: Int) {
        #expect(response(status, retryAfter: "30") == .rejected("the collector answered \(status)"))
    }

    @Test(arguments: ["{}", "", #"{"partialSuccess":{}}"#, #"{"partialSuccess":{"rejectedSpans":"0"}}"#, "<html>"])
    func `A success needs no particular body`(body: String) {
        #expect(response(200, body: body) == .accepted)
    }

    @Test(arguments: [
        (#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too\nold"}}"#, 3, "too old"),
        (#"{"partialSuccess":{"rejectedDataPoints":2}}"#, 2, ""),
        (#"{"partialSuccess":{"errorMessage":"send less"}}"#, 0, "send less"),
    ])
    func `A partial success says what is missing`(body: String, rejected: Int, message: String) {
        #expect(response(200, body: body) == .partlyAccepted(rejected: rejected, message: message))
    }
}
