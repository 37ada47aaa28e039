import Foundation
import Ports
import Services
import TestSupport
import Testing

/// Compares pages and documents with the code.
@Suite struct DocumentTests {
    /// The Content-Security-Policy of pages forbids both, so they would fail silently.
    @Test(arguments: ["api"]) func `Pages have no inline script or style`(page: String) throws {
        let html = try Repository.text("templates/pages/\(page).html")
        #expect(html.firstMatch(of: /<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/.ignoresCase()) == nil)
    }

    @Test(arguments: ["api"]) func `Links within a page lead somewhere`(page: String) throws {
        let html = try Repository.text("templates/pages/\(page).html")
        let ids = Set(html.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) })
        let targets = Set(html.matches(of: /href="#([^"]+)"/).map { String($0.output.1) })
        #expect(targets.subtracting(ids).isEmpty)
    }

    /// `.env.example` explains them, and `EnvExampleTests` compares that with the programs.
    @Test func `The operations page names settings that exist`() throws {
        let page = try Repository.text("docs/operations.md")
        // Of other programs, and what the compose files set.
        let others: Set = ["COMPOSE_FILE", "HAPPINESS_COMMAND", "HAPPINESS_HOME", "HTTPS_PROXY"]
        let names = Set(page.matches(of: /[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+/).map { String($0.output) })
        #expect(names.subtracting(others).subtracting(Settings.keys) == [])
        #expect(names.count > 30)
    }

    /// `.env` with a comment after a value is rejected.
    @Test func `Settings in a document have no comment after them`() throws {
        for page in ["README.md", "docs/operations.md"] {
            #expect(try Repository.text(page).firstMatch(of: /(?m)^ {4}[A-Z][A-Z0-9_]*=.*#.*$/) == nil, "\(page)")
        }
    }

    /// Users paste it.
    @Test func `The command for a VAPID key creates one`() throws {
        let page = try Repository.text("docs/operations.md")
        let command = try #require(page.firstMatch(of: /`VAPID_PRIVATE_KEY` signs [^#]*?\n\n((?: {4}.*\n)+)/)?.output.1)
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", String(command)]
        shell.standardOutput = output
        try shell.run()
        let lines = try #require(String(data: output.fileHandleForReading.readDataToEndOfFile(), encoding: .utf8))
        let key = try #require(lines.split(separator: "\n").first.map(String.init))
        #expect(key.count == 43 && VAPIDKey(privateText: key)?.privateText == key)
    }

    /// The threat model names the test for each attack, and the drafts for works councils the test for each claim; a
    /// renamed or removed test would go unnoticed.
    @Test(.thorough) func `Documents name tests that exist`() throws {
        let swift = try Repository.sources(in: "Tests")
        let python = try Repository.sources(in: "Tests", ending: "py")
        var count = 0
        for page in try ["docs/threat-model.md"] + Self.markdown(below: "docs/works-council") {
            // A name may go on in the next line.
            let text = try Repository.text(page).replacing(/\n */, with: " ")
            for name in text.matches(of: /`([A-Z][\w',-]*(?: [\w',-]+){2,})`/) {
                #expect(swift.contains { $0.text.contains("func `\(name.output.1)`(") }, "\(page): \(name.output.1)")
                count += 1
            }
            for name in text.matches(of: /`(test_\w+)`/) {
                #expect(python.contains { $0.text.contains("def \(name.output.1)(") }, "\(page): \(name.output.1)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    /// Links from one of our documents to another, or to a heading of its own.
    @Test func `Links between documents lead somewhere`() throws {
        let pages = try ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"] + Self.markdown(below: "docs")
        var headings = 0
        for page in pages {
            for link in try Repository.text(page).matches(of: /\]\(([^)#:]*)(?:#([^)]*))?\)/) {
                let (path, heading) = (String(link.output.1), link.output.2.map(String.init))
                let folder = Repository.root.appending(path: page).deletingLastPathComponent()
                let target = path.isEmpty ? Repository.root.appending(path: page) : folder.appending(path: path)
                let exists = FileManager.default.fileExists(atPath: target.standardizedFileURL.path)
                #expect(exists, "\(page): \(path)")
                guard exists, let heading else { continue }
                let text = try String(contentsOf: target, encoding: .utf8)
                #expect(Self.anchors(of: text).contains(heading), "\(page): \(path)#\(heading)")
                headings += 1
            }
        }
        #expect(headings > 50)
    }

    /// Where links to the headings of a document lead, by GitHub's rule: lower case, hyphens for spaces, and neither
    /// other punctuation nor marks.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            text.matches(of: /(?m)^#+ (.+)$/).map { heading in
                heading.output.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .replacing(" ", with: "-")
            })
    }

    private static func markdown(below folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
            .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
}
