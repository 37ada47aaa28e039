import Domain
import Services
import TestSupport
import Testing

/// Which addresses reach the same mailbox.
@Suite struct SubaddressingTests {
    @Test(arguments: [
        ("Carl@Example.org", "carl@example.org"), ("carl+x@example.org", "carl@example.org"),
        (" CARL+a+b@example.org ", "carl@example.org"), ("carl+@example.org", "carl@example.org"),
        ("c.arl@example.org", "c.arl@example.org"), ("carl-x@example.org", "carl-x@example.org"),
        // Nothing in front of the separator names a mailbox.
        ("+x@example.org", "+x@example.org"), ("+x+y@example.org", "+x@example.org"),
    ])
    func `By default a plus and what follows is no part of the mailbox`(address: String, mailbox: String) {
        #expect(Subaddressing.plus.mailbox(of: address).address == mailbox)
    }

    @Test func `Mailboxes of the same name at two domains differ`() {
        let rule = Subaddressing.plus
        #expect(rule.mailbox(of: "carl+x@example.org") != rule.mailbox(of: "carl+x@example.net"))
        #expect(rule.mailbox(of: "carl@example.org") != rule.mailbox(of: "carla@example.org"))
    }

    @Test func `Both forms of a domain are one mailbox`() {
        let mailbox = Subaddressing.plus.mailbox(of: "carl@xn--mller-kva.example")
        for address in ["carl@müller.example", "Carl+x@MU\u{308}LLER.example", "carl+y@XN--mller-kva.example"] {
            #expect(Subaddressing.plus.mailbox(of: address) == mailbox, "\(address)")
        }
    }

    @Test func `Domains can have another separator, or none`() throws {
        let rule = try Subaddressing(setting: "+, Example.org:none ,example.net:-")
        #expect(rule.mailbox(of: "carl+x@example.org").address == "carl+x@example.org")
        #expect(rule.mailbox(of: "carl+x@EXAMPLE.ORG").subaddresses == nil)
        #expect(rule.mailbox(of: "carl-x@example.net").address == "carl@example.net")
        #expect(rule.mailbox(of: "carl+x@example.net").address == "carl+x@example.net")
        #expect(rule.mailbox(of: "carl+x@mail.example.org").address == "carl@mail.example.org")
    }

    @Test func `Exceptions leave the standard as it is, and none switches it off`() throws {
        let exception = try Subaddressing(setting: "example.org:none")
        #expect(exception.mailbox(of: "carl+x@example.net").address == "carl@example.net")
        let umlaut = try Subaddressing(setting: "müller.example:none")
        #expect(umlaut.mailbox(of: "carl+x@xn--mller-kva.example").address == "carl+x@xn--mller-kva.example")
        #expect(umlaut.mailbox(of: "carl+x@Müller.example").address == "carl+x@xn--mller-kva.example")
        let off = try Subaddressing(setting: "none,example.org:+")
        #expect(off.mailbox(of: "carl+x@example.net").address == "carl+x@example.net")
        #expect(off.mailbox(of: "carl+x@example.org").address == "carl@example.org")
        #expect(try Subaddressing(setting: "+") == .plus)
    }

    /// A store finds sub-addresses by their beginning.
    @Test func `Every sub-address begins like its mailbox says`() throws {
        let mailbox = Subaddressing.plus.mailbox(of: "carl@example.org")
        let prefix = try #require(mailbox.subaddresses)
        #expect(prefix.text == "carl+")
        #expect(Subaddressing.plus.mailbox(of: "carl+x@example.org") == mailbox)
    }

    @Test(arguments: [
        "x", ".", "++", "+,-", "example.org", "example.org:", "example.org:.", ":+", "@example.org:+", "example:+",
        "example.org:+:x", "example.org:+,example.org:-", "müller.example:+,xn--mller-kva.example:-",
        "example.org:+,EXAMPLE.ORG:+", "all",
    ])
    func `Invalid settings are refused, naming the key`(text: String) throws {
        let error = #expect(throws: SettingsError.self) { try Subaddressing(setting: text) }
        #expect(error?.key == "MAIL_SUBADDRESSING")
        let problem = #expect(throws: SettingsError.self) { try Settings(values: ["MAIL_SUBADDRESSING": text]) }
        #expect(problem?.key == "MAIL_SUBADDRESSING")
    }

    @Test func `The setting reaches the receipts`() async throws {
        #expect(try Settings(values: [:]).accounts.subaddressing == .plus)
        try await TemporaryDirectory.with { directory in
            let settings = try Settings(values: [
                "MAIL_SUBADDRESSING": "example.org:none", "DATA_DIR": directory.path("data"),
            ])
            let secret = try Secrets.load(settings).ballot
            #expect(secret.subaddressing.mailbox(of: "carl+x@example.org").address == "carl+x@example.org")
            let sprint = Sprint.Key(teamID: .random(), start: TestTeam.firstMonday)
            func receipt(_ address: String) -> Receipt { Receipt(secret: secret, sprint: sprint, address: address) }
            #expect(receipt("carl@example.net") == receipt("Carl+x@example.net"))
            #expect(receipt("carl@example.org") != receipt("carl+x@example.org"))
        }
    }
}
