import Domain
import Foundation
import Mail
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
            InvitationMail(
                inviterName: name, teamName: name, hasAccount: false, link: link, lifetime: .seconds(7 * 86_400)),
            InvitationMail(
                inviterName: name, teamName: nil, hasAccount: true, link: link, lifetime: .seconds(7 * 86_400)),
            ConfirmRegistrationMail(link: link, lifetime: .seconds(86_400)),
            VerifyEmailMail(link: link, lifetime: .seconds(86_400)),
            EmailChangedMail(userName: name, byAdmin: false), EmailChangedMail(userName: name, byAdmin: true),
            EmailChangedMail(userName: name, byAdmin: false, provider: name),
            IdentityLinkedMail(userName: name, provider: name), TestMail(userName: name),
            TeamRequestMail(userName: name, personName: name, personEmail: name, link: link),
            ReminderMail(
                userName: name, teamName: name, title: name, hasOwnTitle: true, body: name, isProtected: true,
                link: link, laterLink: link),
            TeamMessageMail(
                userName: name, teamName: name, authorName: name, title: name, body: name, link: link),
            ResultsMail(
                userName: name, teamName: name,
                result: .init(
                    dates: "9–22 November", value: "7.4", summary: ["5 of 7 people answered."],
                    certainty: ["2 people did not answer.", "That is more than last sprint (6.8)."],
                    begunActions: [name, "Shorter meetings"], openActions: [name], feedback: [name, "More tests."],
                    change: "Up by 0.6.", shape: "3 people are at 8.", moved: "The value has gone up since.",
                    question: "What went better this time?"),
                link: link),
        ]
    }

    private static func write(_ mail: any MailContent, _ locale: MailLocale) throws -> MailMessage {
        let unsubscribeLink = type(of: mail).subscription.flatMap {
            UnsubscribeLink("\(site)/unsubscribe?token=\($0).x.y")
        }
        return try MailFixtures.templates().message(
            mail, id: .random(), date: MailFixtures.date, from: MailAddress("a@example.org"),
            to: MailAddress("b@example.org"), locale: locale, unsubscribeLink: unsubscribeLink)
    }

    private static let site = "https://happiness.example.org"

    @Test func `There is an example of every mail`() {
        let kinds = Self.mails(name: "", link: "").map { type(of: $0).kind }
        #expect(Set(kinds) == Set(MailKind.allCases))
    }

    /// Mail programs turn everything that looks like an address into a link.
    @Test func `No name and no reminder becomes a link`() throws {
        let words = "www.evil.example/x me@evil.example https://evil.example"
        let mails: [any MailContent] = [
            ReminderMail(
                userName: words, teamName: words, title: words, hasOwnTitle: true, body: words,
                isProtected: true, link: "https://x.test/", laterLink: nil),
            // A lead's message may contain links: it is from the lead, and for all members.
            TeamMessageMail(
                userName: words, teamName: words, authorName: words, title: "t", body: "b", link: "https://x.test/"),
            IdentityLinkedMail(userName: words, provider: "p"),
            TeamRequestMail(userName: words, personName: words, personEmail: words, link: "https://x.test/"),
            ResultsMail(
                userName: words, teamName: words,
                result: .init(
                    dates: "", value: "7.4", summary: [], certainty: [], begunActions: [words],
                    openActions: [words], feedback: [words]),
                link: "https://x.test/"),
        ]
        for mail in mails {
            let written = try Self.write(mail, .english)
            // Mail programs show a subject, which is the title too, as plain text.
            for text in [written.text, written.html.replacing(/<title>.*<\/title>/, with: "")] {
                #expect(text.contains("evil"), "the words are there")
                #expect(text.firstMatch(of: /(?:[\w@\/]evil|evil\.\w)/) == nil)
            }
        }
        let message = TeamMessageMail(
            userName: "Ada", teamName: "Blue", authorName: nil, title: "t", body: "https://board.example/x",
            link: "https://x.test/")
        #expect(try Self.write(message, .english).text.contains("https://board.example/x"))
    }

    @Test func `The German reset mail has its subject`() throws {
        let mail = PasswordResetMail(userName: "Ada", link: "https://x.example/", lifetime: .seconds(3600))
        #expect(try Self.write(mail, .german).subject.text == "Happiness-Metric-Passwort zurücksetzen")
    }

    @Test(arguments: MailLocale.allCases)
    func `Hostile text stays text in every mail`(locale: MailLocale) throws {
        let harmless = Self.mails(name: "Ada", link: "https://x.example/reset?token=t")
        for (mail, plain) in zip(Self.mails(name: Self.hostile, link: Self.hostile), harmless) {
            let message = try Self.write(mail, locale)
            // Its line break becomes one of the mail's.
            let scalars = message.html.replacing("<br>", with: "").unicodeScalars
            let expected = try Self.write(plain, locale).html.replacing("<br>", with: "").unicodeScalars
            for mark: Unicode.Scalar in ["<", ">", "\"", "'"] {
                #expect(
                    scalars.count { $0 == mark } == expected.count { $0 == mark },
                    "\(mark) in \(type(of: mail).kind)")
            }
            // It is not parsed as a template again.
            if mail is PasswordResetMail { #expect(message.html.contains("{{link}} {{{mail}}} &amp;amp;")) }
            #expect(!message.subject.text.contains { $0.isNewline }, "\(type(of: mail).kind)")
            let headers = String(decoding: MIMEMessage(message).bytes, as: UTF8.self)
                .replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1).first
            #expect(headers?.contains("\nBcc:") == false && message.subject.text.utf8.count <= HeaderText.maximumBytes)
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
            // One button, one link that ends such mails, and in a reminder one that asks for another. Mails about votes
            // say where one reads whom to trust.
            let trust = "\(Self.site)/trust?language=\(locale.rawValue)"
            let trusting = mail is InvitationMail || type(of: mail).subscription != nil ? 1 : 0
            #expect(message.html.ranges(of: "<a href=\"\(trust)\"").count == trusting)
            #expect(message.text.ranges(of: "\n\(trust)").count == trusting)
            let ending = type(of: mail).subscription == nil ? 0 : 1
            let later = mail is ReminderMail ? 1 : 0
            let button = mail.link == nil ? 0 : 1
            #expect(message.html.ranges(of: "<a href=").count == button + ending + later + trusting)
            #expect(message.html.ranges(of: "\(Self.site)/unsubscribe?token=").count == ending)
            #expect(message.text.ranges(of: ": \(Self.site)/unsubscribe?token=").count == ending)
            #expect(message.html.contains("href=\"\(link.replacing("&", with: "&amp;"))\"") == (mail.link != nil))
            #expect(message.text.contains("\n\(link)\n") == (mail.link != nil))
            #expect(message.link == mail.link)
        }
    }

    /// Screen readers jump between landmarks; mail programs show only what is inside the body.
    @Test(arguments: MailLocale.allCases)
    func `Every mail has landmarks, a language and one heading`(locale: MailLocale) throws {
        for mail in Self.mails(name: "Ada", link: "https://x.example/") {
            let body = try #require(try Self.write(mail, locale).html.split(separator: "<body", maxSplits: 1).last)
            for tag in ["<header role=\"banner\"", "<main role=\"main\"", "<footer role=\"contentinfo\"", "<h1 "] {
                #expect(body.ranges(of: tag).count == 1, "\(tag) in \(type(of: mail).kind)")
            }
            #expect(body.contains("lang=\"\(locale.rawValue)\""))
        }
    }

    @Test(arguments: MailLocale.allCases)
    func `The plain text says what the HTML says, in the same order`(locale: MailLocale) throws {
        for mail in Self.mails(name: "Ada", link: "https://x.example/") {
            let message = try Self.write(mail, locale)
            let plain = message.text.replacing("- ", with: "").split { $0.isWhitespace }.joined(separator: " ")
            let main = try #require(message.html.firstMatch(of: /<div class="words"[^>]*>((?s:.*?))<\/div>/)?.1)
            var rest = plain[...]
            for match in main.matches(of: /<(?:h1|h2|p|li)[^>]*>((?s:.*?))<\/(?:h1|h2|p|li)>/) {
                let words = match.1.split { $0.isWhitespace }.joined(separator: " ").replacing("&#39;", with: "'")
                let found = try #require(rest.range(of: words), "\(words) in \(type(of: mail).kind)")
                rest = rest[found.upperBound...]
            }
        }
    }

    @Test(
        arguments: [
            ("anna", "Team Blue", "anna invited you to Team Blue", "anna lädt dich zu „Team Blue“ ein"),
            (nil, "Blue", "You’re invited to Blue", "Du bist zu „Blue“ eingeladen"),
            ("anna", nil, "anna invited you to Happiness Metric", "anna lädt dich zu Happiness Metric ein"),
            (nil, nil, "You’re invited to Happiness Metric", "Du bist zu Happiness Metric eingeladen"),
            ("Zoë 🙂", "R&D <\"A\">, B: {{site}}", "Zoë 🙂 invited you to R&D <\"A\">, B: {{site}}", nil),
            ("a\r\nBcc: x@evil.example", "T\u{202E}\u{2028}\n\nx", "a Bcc: x@evil.example invited you to T x", nil),
        ] as [(String?, String?, String, String?)])
    func `An invitation's subject names the inviter and the team`(
        inviter: String?, team: String?, english: String, german: String?
    ) throws {
        let mail = InvitationMail(
            inviterName: inviter, teamName: team, hasAccount: true, link: "https://x.example/", lifetime: .seconds(60))
        let message = try Self.write(mail, .english)
        #expect(message.subject.text == english)
        if let german { #expect(try Self.write(mail, .german).subject.text == german) }
        #expect(try ParsedMail(MIMEMessage(message).bytes).subject == english)
        #expect(message.text.hasPrefix("Welcome!"), "nothing of the names is in front of the text")
    }

    @Test func `A reminder's subject is the team's own title`() throws {
        func subject(_ title: String, own: Bool, _ locale: MailLocale = .english) throws -> String {
            let mail = ReminderMail(
                userName: "Ada", teamName: "Blue", title: title, hasOwnTitle: own, body: "b", isProtected: true,
                link: "https://x.example/", laterLink: nil)
            return try Self.write(mail, locale).subject.text
        }
        #expect(try subject("Retro at ten.example", own: true) == "Retro at ten.example")
        #expect(try subject("How happy are you?", own: false) == "Blue: how happy are you this sprint?")
        #expect(try subject("x", own: false, .german) == "Blue: Wie zufrieden bist du in diesem Sprint?")
        #expect(try subject("\u{200B}\n", own: true) == "Blue: how happy are you this sprint?", "nothing is visible")
    }

    @Test(arguments: MailLocale.allCases, [true, false])
    func `A reminder promises no more than the team's rules keep`(locale: MailLocale, isProtected: Bool) throws {
        let mail = ReminderMail(
            userName: "Ada", teamName: "Blue", title: "t", hasOwnTitle: false, body: "b", isProtected: isProtected,
            link: "https://x.example/vote", laterLink: isProtected ? "https://x.example/vote/later" : nil)
        let message = try Self.write(mail, locale)
        for text in [message.text, message.html] {
            #expect(!text.contains("anonym"))
            #expect(text.contains(locale == .german ? "ohne deinen Namen" : "without your name") == isProtected)
            #expect(text.contains("https://x.example/vote/later") == isProtected)
        }
    }

    @Test func `A message's subject is its title, and its author is named`() throws {
        func write(_ author: String?, title: String = "Retro") throws -> MailMessage {
            let mail = TeamMessageMail(
                userName: "Ada", teamName: "Blue", authorName: author, title: title, body: "At ten.",
                link: "https://x.example/")
            return try Self.write(mail, .english)
        }
        let message = try write("anna")
        #expect(message.subject.text == "Retro")
        #expect(message.text.contains("anna wrote to everyone in Blue:\n\nAt ten.\n"))
        #expect(try write(nil).text.contains("A message to everyone in Blue:\n\nAt ten.\n"))
        #expect(try write(nil, title: "\u{200B}").subject.text == "A message to your team")
        let long = try write("anna", title: String(repeating: "日", count: 400)).subject.text
        #expect(long.hasSuffix("日…") && long.utf8.count <= HeaderText.maximumBytes)
    }

    @Test(arguments: MailLocale.allCases)
    func `Line breaks of users' texts are elements, which every mail program shows`(locale: MailLocale) throws {
        let text = "Dear all,\r\n\nat <ten>!\nBye"
        let mails: [any MailContent] = [
            ReminderMail(
                userName: "Ada", teamName: "Blue", title: "t", hasOwnTitle: false, body: text, isProtected: true,
                link: "https://x.example/", laterLink: nil),
            TeamMessageMail(
                userName: "Ada", teamName: "Blue", authorName: nil, title: "t", body: text, link: "https://x.example/"),
            ResultsMail(
                userName: "Ada", teamName: "Blue",
                result: .init(dates: "", value: "7.4", summary: [], certainty: [], feedback: [text]),
                link: "https://x.example/"),
        ]
        for mail in mails {
            let html = try Self.write(mail, locale).html
            #expect(html.contains(">Dear all,<br><br>at &lt;ten&gt;!<br>Bye</"), "\(type(of: mail).kind)")
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: MailFixtures.templateFolder.path)
        where name.hasSuffix(".mustache") {
            let file = MailFixtures.templateFolder.appendingPathComponent(name)
            #expect(try !String(contentsOf: file, encoding: .utf8).contains("white-space"), "\(name)")
        }
    }

    /// Outlook ignores the padding of links.
    @Test func `A button is a table cell with colour and padding`() throws {
        for mail in Self.mails(name: "Ada", link: "https://x.example/") where mail.link != nil {
            let html = try Self.write(mail, .english).html
            let cell = try #require(html.firstMatch(of: /<td([^>]*)><a href="https:\/\/x\.example\/" style="([^"]*)"/))
            #expect(cell.1.contains("bgcolor=\"#0a7a72\"") && cell.1.contains("mso-padding-alt: 14px 28px"))
            #expect(cell.2.contains("padding: 14px 28px"))
        }
    }

    @Test(arguments: ["Team Blau", "Blau", "Die Blauen", "der Blaue Klaus"])
    func `German sentences read right with every team's name`(name: String) throws {
        let link = "https://x.example/"
        let mails: [(any MailContent, String)] = [
            (
                InvitationMail(
                    inviterName: "anna", teamName: name, hasAccount: true, link: link, lifetime: .seconds(60)),
                "anna lädt dich zu „\(name)“ auf Happiness Metric ein."
            ),
            (
                InvitationMail(inviterName: nil, teamName: name, hasAccount: false, link: link, lifetime: .seconds(60)),
                "Du bist zu „\(name)“ auf Happiness Metric eingeladen."
            ),
            (
                TeamMessageMail(
                    userName: "Ada", teamName: name, authorName: "anna", title: "t", body: "b", link: link),
                "anna an alle in „\(name)“:"
            ),
            (
                ResultsMail(
                    userName: "Ada", teamName: name,
                    result: .init(dates: "9.–22. November", value: "7,4", summary: [], certainty: []), link: link),
                "Die Zufriedenheit in „\(name)“ lag bei 7,4 von 10."
            ),
        ]
        for (mail, sentence) in mails {
            let message = try Self.write(mail, .german)
            #expect(message.text.contains(sentence) && message.html.contains(sentence))
            #expect(!message.text.contains("Team Team"))
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
            try MailTemplates(
                directory: URL(fileURLWithPath: "/nowhere"), publicURL: "https://x.example",
                texts: MailFixtures.texts())
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
