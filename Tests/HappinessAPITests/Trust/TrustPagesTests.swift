import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Product
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// The page about trust, the notice about personal data, and the documents that say the same.
@Suite struct TrustPagesTests {
    private static let visited: HTTPFields = [.acceptLanguage: "en"]

    private let words: LocalizedTexts

    init() throws {
        words = try .original(in: .english)
    }

    // MARK: - Pages

    @Test func `Anyone reads what the installation is`() async throws {
        try await TestApp.with { app in
            let page = try await app.get("/trust", headers: Self.visited)
            expectPage(page, saying: words.text("trust.scopeStandard"))
            #expect(page.text.contains(ProductVersion.current) && page.text.contains(words.text("trust.sqlite")))
            #expect(page.text.contains(words.text("trust.noHTTPS")))
            #expect(page.text.contains(words.text("trust.networkPlainLearns")))
            #expect(page.headers[.setCookie] == nil)
            let german = try await app.get("/trust?language=de")
            expectPage(german, saying: "Wie wir betrügen könnten", language: "de")
        }
    }

    @Test func `The page says what the settings say`() async throws {
        let settings = ["PUBLIC_URL": "https://happiness.example.org", "FEEDBACK_DAYS": "90"]
        try await TestApp.with(settings: settings) { app in
            let page = try await app.get("/trust", headers: Self.visited)
            #expect(page.text.contains("https://happiness.example.org") && page.text.contains("90 days"))
            #expect(page.text.contains(words.text("trust.networkLearns")))
            #expect(!page.text.contains(words.text("trust.noHTTPS")))
        }
    }

    @Test func `A member reads the rules of the running sprint, and of no other team`() async throws {
        try await TestApp.with { app in
            let settings = TeamSettings(threshold: 4, policy: .close, feedbackReaders: .leads, ballots: .sealed)
            let team = try await app.makeTeam("Blue", members: 2, settings: settings)
            let other = try await app.makeTeam("Secret")
            let browser = try await app.browser(of: team.members[1].user)
            for path in ["/trust", "/trust?team=\(team.id)", "/trust?team=\(other.id)"] {
                let page = try await browser.get(path)
                expectPage(page, saying: "Your team: Blue")
                #expect(page.text.contains(words.text("trust.threshold", ["k": "4"])))
                for key in ["policyClose", "ballotsSealed", "memberCloseLearns", "operatorSealedLearns"] {
                    #expect(page.text.contains(words.text("trust.\(key)")), "\(key)")
                }
                #expect(!page.text.contains("Secret"))
                // Settings of the next sprint are not in force.
                #expect(!page.text.contains(words.text("trust.nextSprint")))
            }
            #expect(!(try await app.get("/trust?team=\(team.id)")).text.contains("Blue"))
            let lowered = try await app.patch(team.path, token: team.lead.token, json: #"{"threshold":2}"#)
            try #require(lowered.status == .ok, "\(lowered.classic)")
            let page = try await browser.get("/trust")
            #expect(page.text.contains(words.text("trust.threshold", ["k": "4"])))
            #expect(page.text.contains(words.text("trust.nextSprint")))
        }
    }

    @Test func `The rules of a small team do not seem changed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(threshold: 2, policy: .live))
            let page = try await app.browser(of: team.lead.user).get("/trust")
            #expect(page.text.contains(words.text("trust.policyClose")))
            #expect(!page.text.contains(words.text("trust.nextSprint")))
        }
    }

    @Test func `A vote changes no byte of the page`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(threshold: 2))
            let browser = try await app.browser(of: team.lead.user)
            let before = try await browser.get("/trust").text
            for member in team.members {
                #expect(try await app.vote(member, in: team).status == .created)
                #expect(try await browser.get("/trust").text == before)
            }
        }
    }

    @Test func `The pages about a vote lead to the page about trust`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            for path in [team.votePath, team.plainVotePath] {
                #expect(try await browser.get(path).text.contains("\"/trust?team=\(team.id)\""), "\(path)")
            }
            #expect(try await browser.get("/settings").text.contains("\"/trust\""))
            #expect(try await app.get("/login").text.contains("\"/trust?language="))
            let link = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let screen = try #require(link.object["page"] as? String, "\(link.classic)")
            let path = try #require(URL(string: screen)?.path)
            #expect(try await app.get(path).text.contains("\"/trust?language="))
        }
    }

    /// What members compare with a release must be the very list that belongs to it.
    @Test func `The hash of the web app is that of the release's list`() throws {
        let (script, output) = (Process(), Pipe())
        script.executableURL = Repository.root.appending(path: "scripts/site-hashes.sh")
        script.standardOutput = output
        try script.run()
        let list = output.fileHandleForReading.readDataToEndOfFile()
        script.waitUntilExit()
        try #require(script.terminationStatus == 0)
        #expect(try Assets(resources: Repository.resources).releaseHash == SecureBytes.sha256(list).hexadecimal)
    }

    // MARK: - The notice

    @Test func `A notice says what is missing, and then what an admin has filled in`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let admin = try await app.makeUser("admin", role: .admin)
            let token = try await app.token(of: admin)
            let empty = try await app.get("/trust/notice", headers: Self.visited)
            expectPage(empty, saying: words.text("notice.incomplete"))
            #expect(empty.text.ranges(of: words.text("notice.missing")).count == 6)
            #expect(!empty.text.contains("/admin/texts"))
            #expect(try await app.browser(of: admin).get("/trust/notice").text.contains("/admin/texts?in=en"))
            for blank in PrivacyNoticePage.Blank.allCases {
                // A name needs no translation.
                let language = blank == .name ? "de" : "en"
                let response = try await app.put(
                    "/api/v1/admin/texts/\(language)/\(blank.textName)", token: token,
                    json: #"{"text":"Ours: \#(blank.rawValue)"}"#)
                #expect(response.status == .ok, "\(response.classic)")
            }
            let full = try await app.get("/trust/notice", headers: Self.visited)
            for blank in PrivacyNoticePage.Blank.allCases { #expect(full.text.contains("Ours: \(blank.rawValue)")) }
            #expect(full.text.contains("<dd lang=\"de\">Ours: name"))
            for key in ["notice.incomplete", "notice.missing"] { #expect(!full.text.contains(words.text(key))) }
        }
    }

    @Test func `Texts about trust cannot be reworded`() throws {
        let names = try TextCatalog(resources: Repository.resources).names(in: .english)
        let promises = names.filter { name in ["trust.", "cheats.", "notice."].contains { name.hasPrefix($0) } }
        #expect(promises.count > 100)
        for name in promises { #expect(!TextRules.canChange(name), "\(name)") }
        for blank in PrivacyNoticePage.Blank.allCases {
            #expect(names.contains(blank.textName) && TextRules.canChange(blank.textName))
        }
    }

    // MARK: - Documents

    /// An installation with MongoDB and HTTPS, and no login provider.
    private static let usual = TrustSituation(usesMongoDB: true, usesHTTPS: true, hasLoginProvider: false)

    private static func cell(_ verdict: TrustVerdict?) -> String {
        switch verdict {
        case .green: "🟢 green"
        case .amber: "🟡 amber"
        case .red: "🔴 red"
        case nil: "none"
        }
    }

    /// The row of an observer in the threat model.
    private static func row(_ observer: TrustObserver) -> String {
        func verdict(_ change: (inout TrustSituation) -> Void) -> TrustVerdict? {
            var situation = usual
            change(&situation)
            return observer.finding(in: situation)?.verdict
        }
        let columns = PublicationPolicy.allCases.map { policy in cell(verdict { $0.policy = policy }) }
        let others = [
            ("without HTTPS", verdict { $0.usesHTTPS = false }),
            ("with a login provider", verdict { $0.hasLoginProvider = true }),
            ("on SQLite", verdict { $0.usesMongoDB = false }),
        ].filter { $0.1 != verdict { _ in } }.map { "\(cell($0.1)) \($0.0)" }
        let end = others.isEmpty ? "" : " \(others.joined(separator: ", "))"
        return " | \(columns.joined(separator: " | ")) |\(end) |"
    }

    @Test func `The threat model has these observers, in these colours`() throws {
        let page = try Repository.text("docs/threat-model.md")
        let sections = page.matches(of: /\n## (.+)\n\n\| sees \| learns \|/).map { String($0.output.1) }
        #expect(sections == TrustObserver.allCases.map(\.heading))
        let rows = page.matches(of: /\n\| \[(.+)\]\(#[^)]+\)( \| .*)/).map {
            "\($0.output.1)\($0.output.2)"
        }
        #expect(rows == TrustObserver.allCases.map { $0.heading + Self.row($0) })
        // As the document says.
        for observer in TrustObserver.allCases {
            var sealed = Self.usual
            sealed.ballots = .sealed
            #expect(observer.finding(in: sealed)?.verdict == observer.finding(in: Self.usual)?.verdict)
        }
    }

    @Test(arguments: [
        ("Member who polls", TrustObserver.member), ("Lead who uses every setting", .lead),
        ("Administrator", .administrator), ("Reader of one dump", .dump),
        ("Reader of a dump of each night", .dump), ("Reader of the files, with each commit", .files),
        ("Reader of the oplog", .files), ("Reader of logs and metrics", .network), ("Mail server", .mails),
        ("Push service", .mails), ("Operator who watches", .operatorOfServer),
        ("Database administrator with the profiler", .databaseAdministrator),
    ])
    func `No observer is shown better than measured`(name: String, observer: TrustObserver) throws {
        // The first table alone has colours.
        let lines = try Repository.text("docs/attacks.md").split(separator: "\n").filter { line in
            line.hasPrefix("| \(name) ") && TrustVerdict.allCases.contains { line.contains(Self.cell($0)) }
        }
        #expect(!lines.isEmpty)
        for line in lines {
            var situation = Self.usual
            if line.contains("`close`") { situation.policy = .close }
            if line.contains("| sealed ") { situation.ballots = .sealed }
            if line.contains("| SQLite") { situation.usesMongoDB = false }
            let measured = try #require(TrustVerdict.allCases.first { line.contains(Self.cell($0)) })
            let shown = try #require(observer.finding(in: situation)?.verdict)
            #expect(shown >= measured, "\(line)")
        }
    }

    @Test func `The document about cheating says what the page says`() throws {
        let page = try Repository.text("docs/how-we-could-cheat.md")
        let attacks = try Repository.text("docs/attacks.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map(String.init)
        let expected = TrustCheat.allCases.map { cheat in
            let measured = cheat.measuredBy.joined(separator: "; ")
            let cells = [
                words.text("cheats.\(cheat.rawValue)"), words.text("cheats.\(cheat.rawValue)Notice"),
                cheat.command.map { "`\($0)`" } ?? "none", measured.isEmpty ? "not measured" : measured,
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        #expect(rows == expected)
        for row in TrustCheat.allCases.flatMap(\.measuredBy) { #expect(attacks.contains("| \(row) "), "\(row)") }
    }
}
