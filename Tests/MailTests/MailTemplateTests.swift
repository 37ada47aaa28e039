import Foundation
import Mail
import Services
import TestSupport
import Testing

@Suite struct MailTemplateTests {
    /// Would end tags, attributes, templates and headers if not escaped; the accent turns the mark into another
    /// character.
    private static let hostile = "\"'><script>alert(1)</script>\"\u{301} onload=x {{link}} {{{mail}}} &amp; \r\nBcc: x"

    private static func mails(name: String, link: String) -> [any MailContent] {
        [
            PasswordResetMail(userName: name, link: link, lifetime: .seconds(3600)),
            PasswordChangedMail(userName: name, link: link),
            InvitationMail(inviterName: name, hasAccount: false, link: link, lifetime: .seconds(7 * 86_400)),
            InvitationMail(inviterName: name, hasAccount: true, link: link, lifetime: .seconds(7 * 86_400)),
            ConfirmRegistrationMail(link: link, lifetime: .seconds(86_400)),
            VerifyEmailMail(link: link, lifetime: .seconds(86_400)), EmailChangedMail(userName: name),
            IdentityLinkedMail(userName: name, provider: name),
            ReminderMail(userName: name, title: name, body: name, link: link),
            TeamMessageMail(userName: name, teamName: name, title: name, body: name, link: link),
        ]
    }

    private static func write(_ mail: any MailContent, _ locale: MailLocale) throws -> MailMessage {
        try MailFixtures.templates().message(
            mail, id: .random(), date: MailFixtures.date, from: MailAddress("a@example.org"),
            to: MailAddress("b@example.org"), locale: locale)
    }

    @Test func `There is an example of every mail`() {
        let kinds = Self.mails(name: "", link: "").map { type(of: $0).kind }
        #expect(Set(kinds) == Set(MailKind.allCases))
    }

    /// Mail programs turn everything that looks like an address into a link.
    @Test func `No name and no reminder becomes a link`() throws {
        let words = "www.evil.example/x me@evil.example https://evil.example"
        let mails: [any MailContent] = [
            ReminderMail(userName: words, title: words, body: words, link: "https://x.test/"),
            // A lead's message may contain links: it is from the lead, and for all members.
            TeamMessageMail(userName: words, teamName: words, title: "t", body: "b", link: "https://x.test/"),
            IdentityLinkedMail(userName: words, provider: "p"),
        ]
        for mail in mails {
            let written = try Self.write(mail, .english)
            for text in [written.text, written.html] {
                #expect(text.contains("evil"), "the words are there")
                #expect(text.firstMatch(of: /(?:[\w@\/]evil|evil\.\w)/) == nil)
            }
        }
        let message = TeamMessageMail(
            userName: "Ada", teamName: "Blue", title: "t", body: "https://board.example/x", link: "https://x.test/")
        #expect(try Self.write(message, .english).text.contains("https://board.example/x"))
    }

    @Test func `The German reset mail has its subject`() throws {
        let mail = PasswordResetMail(userName: "Ada", link: "https://x.example/", lifetime: .seconds(3600))
        #expect(try Self.write(mail, .german).subject.text == "Happiness-Metric Passwort zurücksetzen")
    }

    @Test(arguments: MailLocale.allCases)
    func `Hostile text stays text in every mail`(locale: MailLocale) throws {
        let harmless = Self.mails(name: "Ada", link: "https://x.example/reset?token=t")
        for (mail, plain) in zip(Self.mails(name: Self.hostile, link: Self.hostile), harmless) {
            let message = try Self.write(mail, locale)
            let scalars = message.html.unicodeScalars
            let expected = try Self.write(plain, locale)
            for mark: Unicode.Scalar in ["<", ">", "\"", "'"] {
                #expect(
                    scalars.count { $0 == mark } == expected.html.unicodeScalars.count { $0 == mark },
                    "\(mark) in \(type(of: mail).kind)")
            }
            // It is not parsed as a template again.
            if mail is PasswordResetMail { #expect(message.html.contains("{{link}} {{{mail}}} &amp;amp;")) }
            #expect(message.subject == expected.subject)
        }
    }

    @Test(arguments: MailLocale.allCases)
    func `Every mail is complete`(locale: MailLocale) throws {
        let link = "https://happiness.example.org/user/resetPassword?token=abc&x=1"
        for mail in Self.mails(name: "Ada", link: link) {
            let message = try Self.write(mail, locale)
            #expect(message.html.contains("<html lang=\"\(locale.rawValue)\">"))
            #expect(message.html.contains("<title>\(message.subject.text)</title>"))
            #expect(message.html.contains("prefers-color-scheme: dark"))
            #expect(!message.html.contains("{{") && !message.text.contains("{{"))
            #expect(message.html.contains("https://happiness.example.org"))
            #expect(!message.text.hasPrefix("\n") && !message.text.contains("\n\n\n"))
            #expect(message.text.contains("\n-- \n"))
            #expect(message.locale == locale)
            // One button and no other link.
            #expect(message.html.ranges(of: "<a href=").count == (mail.link == nil ? 0 : 1))
            #expect(message.html.contains("href=\"\(link.replacing("&", with: "&amp;"))\"") == (mail.link != nil))
            #expect(message.text.contains("\n\(link)\n") == (mail.link != nil))
            #expect(message.link == mail.link)
        }
    }

    @Test func `No template writes unescaped text`() throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: MailFixtures.templateFolder.path)
        where name.hasSuffix(".mustache") {
            let text = try String(contentsOf: MailFixtures.templateFolder.appendingPathComponent(name), encoding: .utf8)
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
        }
    }

    @Test(arguments: [
        (60, "1 hour", "1 Stunde"), (1, "1 minute", "1 Minute"), (90, "90 minutes", "90 Minuten"),
        (1440, "24 hours", "24 Stunden"), (10_080, "7 days", "7 Tage"),
    ])
    func `The link's lifetime is given in words`(minutes: Int, english: String, german: String) throws {
        let mail = VerifyEmailMail(link: "https://x.example/", lifetime: .seconds(60 * minutes))
        #expect(try Self.write(mail, .english).text.contains(" for \(english)."))
        #expect(try Self.write(mail, .german).text.contains(" gilt \(german)."))
    }

    @Test func `A missing template is reported at the start`() throws {
        #expect(throws: MailTemplateError.missing(file: "layout.mustache")) {
            try MailTemplates(directory: URL(fileURLWithPath: "/nowhere"), publicURL: "https://x.example")
        }
    }

    /// Writes every mail as an HTML file for review: `MAIL_PREVIEWS=FOLDER swift test --filter MailTemplateTests`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MAIL_PREVIEWS"] != nil))
    func `Previews are written`() throws {
        let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MAIL_PREVIEWS"] ?? "")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let link = "https://happiness.example.org/user/resetPassword?token=Vx7pYbQm3cJkT0aLr9sWnE5uHdGfZ2iOq8X1yMtK4Bv"
        for locale in MailLocale.allCases {
            for mail in Self.mails(name: "Ada Lovelace", link: link) {
                let message = try Self.write(mail, locale)
                let variant = (mail as? InvitationMail)?.hasAccount == true ? "-account" : ""
                let name = "\(type(of: mail).kind.rawValue)\(variant)-\(locale.rawValue)"
                try Data(message.html.utf8).write(to: folder.appendingPathComponent("\(name).html"))
                try Data(message.text.utf8).write(to: folder.appendingPathComponent("\(name).txt"))
            }
        }
    }
}
