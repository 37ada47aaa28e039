import Domain
import Ports
import Services
import Testing

@Suite struct MailAddressTests {
    @Test(arguments: ["a\r\nBcc: b@example.org", "a\nb", "a\rb", "a\u{0}b", "a\u{2028}b", "a\u{202E}b", "", "   "])
    func `A header cannot contain control characters`(text: String) {
        #expect(throws: AppError.self) { try HeaderText(text) }
    }

    @Test(arguments: ["a@example.org\r\nBcc: b@example.org", "a@example.org>\r\nX: y", "a\n@example.org"])
    func `An address cannot contain a line break`(text: String) {
        #expect(throws: AppError.self) { try MailAddress(text) }
        #expect(throws: AppError.self) { try MailAddress("Name <\(text)>") }
    }

    @Test func `A sender may have a name`() throws {
        let plain = try MailAddress("a@example.org")
        #expect(plain.email.text == "a@example.org" && plain.name == nil)
        let ascii = try MailAddress("Hanna <hanna@müller.example>")
        #expect(ascii.email.text == "hanna@xn--mller-kva.example")
        let named = try MailAddress(" Glücks Dienst <a@example.org> ")
        #expect(named.email.text == "a@example.org" && named.name?.text == "Glücks Dienst")
    }

    @Test(arguments: [
        ("de", MailLocale.german), ("de-AT", .german), ("DE_ch", .german), ("en", .english), ("en-GB", .english),
        ("fr", .english), ("", .english), ("deutsch", .english),
    ])
    func `An unknown language becomes English`(tag: String, locale: MailLocale) {
        #expect(MailLocale(tag: tag) == locale)
    }

    @Test func `A mail's error decides its job's fate`() {
        #expect(JobError(MailError.rejected("no")).retry == .never)
        #expect(JobError(MailError.undeliverable("no")).retry == .never)
        #expect(JobError(MailError.unavailable("x", retryAfter: .seconds(9))).retry == .after(.seconds(9)))
        #expect(JobError(MailError.misconfigured("no key")) == .misconfigured("no key"))
        let thrown: any Error = MailError.rejected("no")
        #expect(JobError(thrown) == .rejected("no"))
    }
}
