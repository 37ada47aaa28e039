import Foundation
import TestSupport
import Testing

/// Scripts take data from attributes, not from a page's words, which differ by language and can be customised.
@Suite struct ScriptDataTests {
    /// How often a script reads text for another reason: to search in it, to show the same text again, or because the
    /// server has marked it as an example to edit.
    private static let known = ["copy.js": 1, "reference.js": 2, "search.js": 1, "vote.js": 1, "wallboard.js": 2]

    @Test func `No script reads data out of a text of the page`() throws {
        var found: [String: Int] = [:]
        for script in try Repository.sources(in: "public", ending: "js") {
            let reads = script.text.matches(of: /\.(?:textContent|innerText|innerHTML)(?![A-Za-z])(?!\s*=[^=])/).count
            let names = script.text.matches(of: /getAttribute\("(?:aria-label|alt|title)"\)/).count
            if reads + names > 0 { found[URL(filePath: script.path).lastPathComponent] = reads + names }
        }
        #expect(found == Self.known)
    }
}
