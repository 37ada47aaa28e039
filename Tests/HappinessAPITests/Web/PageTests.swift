import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Shared
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
    ]

    @Test(arguments: PageLanguage.allCases)
    func noTextOfAPageBecomesMarkup(language: PageLanguage) throws {
        let renderer = try PageRenderer(resources: Resources(root: Self.root))
        let plain = Self.markup(in: try renderer.html(MessagePage(title: "a", text: "b"), in: Self.frame(language)))
        #expect(plain.filter { $0.hasPrefix("<script") || $0.hasPrefix("<img") }.count == 1, "the logo")
        for page in Self.pages {
            let html = try renderer.html(page, in: Self.frame(language))
            let name = type(of: page).template
            #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "\(name)")
            #expect(!html.contains("<script"), "\(name)")
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
        #expect(templates.subtracting(Self.pages.map { type(of: $0).template }).isEmpty)
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
            for purpose in OneTimeToken.Purpose.allCases {
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
        PageFrame(request("/page?token=%3Cscript%3E%22&language=\(language.rawValue)"))
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
        let files = ["layout.mustache"] + pages.filter { $0.hasSuffix(".mustache") }.map { "pages/\($0)" }
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
