import Domain
import Foundation
import Services
import TestSupport
import Testing

/// An account's language, as stored and as used.
@Suite struct AccountLanguageTests {
    @Test(arguments: [
        ("de", AccountLanguage.chosen(.german)), ("en", .chosen(.english)), ("de-AT", .chosen(.german)),
        ("und-x-de", .seen(.german)), ("und-x-en", .seen(.english)), ("und", .unknown), ("", .unknown),
        ("und-x-fr", .unknown),
    ])
    func `A stored tag says how it came about`(tag: String, language: AccountLanguage) {
        #expect(AccountLanguage(tag: tag) == language)
        #expect(AccountLanguage(tag: language.tag) == language)
        // Mails to the user use the tag as stored.
        #expect(MailLocale(tag: tag) == language.locale)
    }

    @Test(arguments: StoreUnderTest.all)
    func `Without a choice, a user keeps the language of their last log-in`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("anna")
            func language() async throws -> AccountLanguage {
                try await own.service.account(of: anna.principal).language
            }
            #expect(try await language() == .unknown)
            try await own.service.record(.german, of: anna.user)
            #expect(try await language() == .seen(.german))

            _ = try await own.service.change(AccountChange(locale: "en"), by: anna.principal)
            try await own.service.record(.german, of: try await own.service.account(of: anna.principal))
            #expect(try await language() == .chosen(.english), "what was chosen stays")

            _ = try await own.service.change(AccountChange(locale: "und"), by: anna.principal)
            #expect(try await language() == .seen(.english), "mails stay in the language they were in")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A log-in slower than a choice or another log-in changes nothing`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("anna")
            _ = try await own.service.change(AccountChange(locale: "en"), by: anna.principal)
            try await own.service.record(.german, of: anna.user)
            #expect(try await own.service.account(of: anna.principal).language == .chosen(.english))

            let bert = try await own.signIn("bert")
            try await own.service.record(.german, of: bert.user)
            let read = try await own.service.account(of: bert.principal)
            try await own.service.record(.english, of: read)
            #expect(try await own.service.account(of: bert.principal).language == .seen(.english))
            try await own.service.record(.german, of: bert.user)
            #expect(try await own.service.account(of: bert.principal).language == .seen(.english), "an earlier reading")
        }
    }
}

/// Languages by their codes.
@Suite struct MailLocaleTests {
    @Test(arguments: ["", "d", "DE", "de-AT", "deutsch", "d1", "dé", "../"])
    func `Anything but two or three small letters is no code`(code: String) {
        #expect(MailLocale(rawValue: code) == nil)
    }

    /// Its file may have been removed, but what is stored must stay readable.
    @Test func `A language without texts is read from the store and not accepted from outside`() throws {
        let french = try #require(MailLocale(rawValue: "fr"))
        #expect(MailLocale(installed: "fr") == nil && MailLocale(tag: "fr") == .english)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([MailLocale].self, from: Data(#"["fr"]"#.utf8)) }
        #expect(try JSONDecoder().decode([MailLocale].self, from: Data(#"["de"]"#.utf8)) == [.german])
        #expect([french, .german, .english].sorted() == [.english, .german, french])
    }
}
