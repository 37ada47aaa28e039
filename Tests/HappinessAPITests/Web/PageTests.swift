import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Shared
import TestSupport
import Testing

@testable import HappinessAPI

/// Every page with hostile text in it, and every text in every language.
@Suite struct PageTests {
    /// Markup, quotation marks, and one with a combining accent, which is another `Character`.
    private static let hostile = "<script>alert(1)</script>\"'&{{words}}\"\u{301}><img src=x onerror=alert(2)>'\u{301}"

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// One of every page, made of hostile text. A template that is missing here fails `everyTemplateIsShownHere`.
    private static let pages: [any Page] = [
        MessagePage(title: hostile, text: hostile, next: .init(address: hostile, label: hostile)),
        PasswordForgottenPage(email: hostile, problem: hostile),
        PasswordResetPage(userName: hostile, token: hostile, needsClasses: true, problem: hostile),
        PasswordResetDonePage(generatedPassword: hostile),
        EmailConfirmationPage(email: hostile, token: hostile),
        InvitationPage(
            token: hostile, email: hostile, team: hostile, needsClasses: true, name: hostile, problem: hostile),
        JoinPage(token: hostile, name: hostile, team: hostile),
        RegisterPage(
            domains: hostile, needsClasses: true, name: hostile, email: hostile, problem: hostile),
        RegistrationPage(token: hostile, name: hostile, email: hostile, problem: hostile),
        SignedOnPage(userName: hostile, code: hostile),
        LogInPage(
            username: hostile, next: hostile, problem: hostile, takesRegistrations: true,
            providers: [.init(address: hostile, name: hostile)]),
        NoTeamPage(),
        SettingsPage(
            name: hostile, email: hostile, pendingEmail: hostile, pictureLink: hostile,
            languages: [.init(value: hostile, label: hostile, isChosen: true)],
            themes: [.init(value: hostile, label: hostile, isChosen: false)],
            teams: [.init(value: hostile, label: hostile, isChosen: true)], hasSeveralTeams: true, version: hostile,
            done: hostile, problem: hostile),
        PictureSettingsPage(name: hostile, pictureLink: hostile, hasPicture: true, problem: hostile),
        PasswordSettingsPage(userName: hostile, hasPassword: true, needsClasses: true, problem: hostile),
        EmailSettingsPage(
            email: hostile, pendingEmail: hostile, hasPassword: true, typed: hostile, done: hostile, problem: hostile),
        SessionSettingsPage(
            present: .init(id: hostile, device: hostile, lastUsed: hostile, lastUsedText: hostile),
            others: [.init(id: hostile, device: hostile, lastUsed: hostile, lastUsedText: hostile)], hasOthers: true,
            done: hostile, problem: hostile),
        NotificationSettingsPage(
            push: true, mail: true, sendsToBrowsers: true,
            absences: [.init(first: hostile, last: hostile, text: hostile)], isAtLimit: false, done: hostile,
            problem: hostile),
        AccountDeletionPage(name: hostile, hasPassword: true, problem: hostile),
        OfflinePage(address: hostile),
        VoteNotCountedPage(problem: hostile, feedback: hostile, back: hostile),
    ]

    @Test(arguments: PageLanguage.allCases)
    func noTextOfAPageBecomesMarkup(language: PageLanguage) throws {
        let renderer = try PageRenderer(resources: Resources(root: Self.root))
        let plain = Self.markup(in: try renderer.html(MessagePage(title: "a", text: "b"), in: Self.frame(language)))
        #expect(plain.filter { $0.hasPrefix("<script") || $0.hasPrefix("<img") }.count == 1, "the logo")
        for page in try Self.everyPage(language) {
            let html = try renderer.html(page, in: Self.frame(language))
            let name = type(of: page).template
            #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "\(name)")
            #expect(html.firstMatch(of: /<script(?! type="module" src="\/assets\/)/) == nil, "\(name)")
            #expect(!html.contains("<img src=x"), "\(name)")
            // A raw quotation mark of the text would end an attribute, with or without an accent on it.
            #expect(!html.unicodeScalars.contains("\u{301}") || Self.accentsAreEscaped(html), "\(name)")
            #expect(html.contains("<html lang=\"\(language.rawValue)\">"), "\(name)")
        }
    }

    @Test func everyTemplateIsShownHere() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "templates/pages").path)
        let templates = Set(files.filter { $0.hasSuffix(".mustache") }.map { String($0.dropLast(".mustache".count)) })
        #expect(templates.subtracting(try Self.everyPage(.english).map { type(of: $0).template }).isEmpty)
    }

    @Test func noTemplateHasATripleMustache() throws {
        for file in try Self.templates() {
            #expect(!file.text.contains("{{{") && !file.text.contains("{{&"), "\(file.name)")
        }
    }

    /// A missing key renders as nothing, so nobody would see it.
    @Test func everyTextThatIsUsedExistsInEveryLanguageAndNoneIsUnused() throws {
        var used: Set<String> = []
        for file in try Self.templates() {
            used.formUnion(file.text.matches(of: /\bwords\.(\w+\.[\w-]+)/).map { String($0.output.1) })
        }
        for source in try Self.sources() {
            used.formUnion(source.matches(of: /[\s.(]text\(\s*"([a-z]\w*\.[\w-]+)"/).map { String($0.output.1) })
        }
        for language in PageLanguage.allCases {
            let words = try PageWords(language, resources: Resources(root: Self.root))
            let there = Set(words.sections.flatMap { section, texts in texts.keys.map { "\(section).\($0)" } })
            // Read by the reason of a refusal.
            let reasons = Set(try Self.reasons().map { "errors.\($0)" })
            #expect(used.subtracting(there).isEmpty, "used, but not in \(language.rawValue).json")
            #expect(there.subtracting(used).subtracting(reasons).isEmpty, "in \(language.rawValue).json, but not used")
            #expect(words.sections.values.allSatisfy { $0.values.allSatisfy { !$0.isEmpty && !$0.contains("<") } })
        }
        let keys = try PageLanguage.allCases.map { language in
            try PageWords(language, resources: Resources(root: Self.root)).sections.mapValues { Set($0.keys) }
        }
        #expect(Set(keys).count == 1, "a text is there in one language only")
    }

    @Test func everyMailedLinkLeadsToAPage() async throws {
        try await TestApp.with { app in
            for purpose in OneTimeToken.Purpose.allCases where purpose != .logIn {
                let answer = try await app.get("\(purpose.pagePath)?token=x")
                #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true, "\(purpose.pagePath)")
            }
        }
    }

    @Test func theLanguageSwitchKeepsTheRestOfTheAddress() {
        let request = Self.request("/user/resetPassword?token=a-b_c&language=de")
        #expect(PageFrame(request).language == .german)
        #expect(PageFrame(request).otherLanguage == "/user/resetPassword?token=a-b_c&language=en")
        #expect(PageFrame(Self.request("/confirm-email", method: .post)).otherLanguage == nil)
    }
}

extension PageTests {
    private static func request(_ path: String, method: HTTPRequest.Method = .get) -> Request {
        Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: path),
            body: RequestBody(buffer: .init()))
    }

    private static func frame(_ language: PageLanguage) -> PageFrame {
        var frame = PageFrame(request("/page?token=%3Cscript%3E%22&language=\(language.rawValue)"))
        let team = Viewer.TeamLink(name: hostile, address: hostile, isChosen: true)
        frame.viewer = Viewer(
            name: hostile, email: hostile, pictureLink: hostile, formToken: hostile, teams: [team], team: team,
            place: team, isLead: true, isAdmin: true, hasSeveralTeams: true,
            takesMessages: true)
        return frame
    }

    private static let team = Team(name: hostile)
    private static let sprint = Sprint(
        teamID: team.id, start: TestTeam.firstMonday, end: TestTeam.firstMonday + 14 * TestTeam.day,
        closes: TestTeam.firstMonday + 14 * TestTeam.day, label: SprintLabel(year: 2026, number: 1), threshold: 3,
        policy: .live)

    /// All pages, those made from a team's state included.
    private static func everyPage(_ language: PageLanguage) throws -> [any Page] {
        let words = try PageWords(language, resources: Resources(root: root))
        let record = SprintRecord(sprint: sprint, state: .initial, eligible: nil)
        let live = LivePage(
            LiveSprint(number: 1, current: Publication(record), previous: nil), team: team, hasVoted: false,
            voteAddress: hostile, words: words, now: sprint.start)
        let draft = VotePage.Draft(happiness: hostile, feedback: hostile, problem: hostile)
        let answers = Array(repeating: try Happiness(tenths: 70), count: 6)
        var state = PublicationState.initial
        state.count(answers, policy: .immediate, threshold: 3)
        let published = Publication(SprintRecord(sprint: sprint, state: state, eligible: 9))
        let history = HistoryPage(
            TeamHistory(number: 1, publications: [published]), stretch: .everything, hidesYearBefore: false, team: team,
            words: words, language: language)
        let detail = SprintPage(
            published, number: 1, neighbours: SprintNeighbours(of: published, in: [published]),
            feedback: [Feedback(id: .random(), text: hostile)], isFirstPage: true, team: team, words: words)
        return pages + [
            live, VotePage(sprint, team: team, draft: draft, words: words, now: sprint.start), history, detail,
        ]
    }

    private static func markup(in html: String) -> [String] {
        html.matches(of: /<[a-z][^>]*>/).map { String($0.output) }
    }

    /// Whether every combining accent follows an escaped quotation mark or apostrophe.
    private static func accentsAreEscaped(_ html: String) -> Bool {
        let scalars = Array(html.unicodeScalars)
        return scalars.indices.allSatisfy { scalars[$0] != "\u{301}" || (scalars[$0 - 1] == ";") }
    }

    private static func templates() throws -> [(name: String, text: String)] {
        let folder = root.appending(path: "templates")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "pages").path)
        let partials = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "partials").path)
        let files =
            ["layout.mustache", "app.mustache"]
            + (partials.map { "partials/\($0)" } + pages.map { "pages/\($0)" }).filter { $0.hasSuffix(".mustache") }
        return try files.map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }

    private static func sources() throws -> [String] {
        let folder = root.appending(path: "Sources/HappinessAPI/Web")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// Every reason written in the sources.
    private static func reasons() throws -> Set<String> {
        let files = FileManager.default.enumerator(at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        let swift = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        let named = try swift.flatMap { file in
            let source = try String(contentsOf: file, encoding: .utf8)
            return source.matches(of: /reason: "([a-z0-9-]+)"/).map { String($0.output.1) }
        }
        return Set(named + AppError.Code.allCases.map { AppError($0, "").reason })
    }
}
