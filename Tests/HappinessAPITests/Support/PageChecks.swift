import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import HappinessAPI

/// Checks that a response is a page that does not leak its address.
func expectPage(
    _ response: TestResponse, _ status: Int = 200, saying text: String = "", language: String = "en",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let comment = Comment(rawValue: response.classic)
    #expect(response.status.code == status, comment, sourceLocation: sourceLocation)
    #expect(response.headers[.contentType] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
    #expect(response.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
    let referrer = response.headers[.referrerPolicy] ?? ""
    #expect(["no-referrer", "strict-origin"].contains(referrer), sourceLocation: sourceLocation)
    #expect(response.headers[.xContentTypeOptions] == "nosniff", sourceLocation: sourceLocation)
    #expect(response.headers[.contentLanguage] == language, sourceLocation: sourceLocation)
    let policy = response.headers[.contentSecurityPolicy] ?? ""
    for part in ["default-src 'self'", "frame-ancestors 'none'", "form-action 'self'"] {
        #expect(policy.contains(part), sourceLocation: sourceLocation)
    }
    #expect(!policy.contains("unsafe"), sourceLocation: sourceLocation)
    #expect(response.text.contains("<html lang=\"\(language)\""), sourceLocation: sourceLocation)
    #expect(text.isEmpty || response.text.contains(text), comment, sourceLocation: sourceLocation)
    // The policy forbids them, so they would fail silently.
    let inline = response.text.firstMatch(of: /<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/.ignoresCase())
    #expect(inline == nil, sourceLocation: sourceLocation)
}
