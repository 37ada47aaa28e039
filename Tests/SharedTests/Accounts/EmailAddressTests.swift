import Domain
import Foundation
import Testing

@Suite struct EmailAddressTests {
    @Test(arguments: [
        "a@b.at", "a+b@x.at", "first.last@sub.example.org", "o'neil@example.org", "a@xn--bcher-kva.example",
        " padded@example.org ",
    ])
    func `Real-world addresses are accepted`(text: String) throws {
        #expect(try EmailAddress(text).text == text.trimmingCharacters(in: .whitespaces))
    }

    @Test(arguments: [
        "", "@", "a@", "@b.at", "a@b", "a@@b.at", "a b@c.at", "a@b..at", ".a@b.at", "a.@b.at", "a@-b.at",
        "a@b.at\nBcc: c@d.at",
        "a@b.at,c@d.at", "<a@b.at>", "\"a b\"@c.at", "a@[192.0.2.1]", "ä@b.at",
        "\u{212A}arl@b.at", "a@bücher", "a@b\u{200D}ü.at", "a@b\u{202E}ü.at", "a@ü\u{200B}.at", "a@☃.at", "a@ü_.at",
        "a@ü-.at",
        "a@xn--ü.at", "a@ü/x.at", "a@b." + String(repeating: "ü", count: 64),
        "a@" + String(repeating: "ü.", count: 500),
        String(repeating: "x", count: 65) + "@b.at",
        "a@" + String(repeating: "x", count: 64) + ".at",
    ])
    func `Addresses that could reach someone else or nobody are refused`(text: String) {
        #expect(throws: AppError.self) { try EmailAddress(text) }
    }

    /// RFC 3492 §7.1, and domains of which several spellings mean one.
    @Test(arguments: [
        ("müller.example", "xn--mller-kva.example"), ("MÜLLER.Example", "xn--mller-kva.example"),
        ("mu\u{308}ller.example", "xn--mller-kva.example"), ("ｍüller．example", "xn--mller-kva.example"),
        ("müller。example", "xn--mller-kva.example"), ("mail.bücher.example", "mail.xn--bcher-kva.example"),
        ("straße.example", "xn--strae-oqa.example"), ("ü.ü", "xn--tda.xn--tda"),
        ("他们为什么不说中文.example", "xn--ihqwcrb4cv8a8dqg056pqjye.example"),
        ("почемужеонинеговорятпорусски.example", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l.example"),
        ("3年b組金八先生.example", "xn--3b-ww4c5e180e575a65lsy2b.example"),
    ])
    func `A domain of any script is kept in ASCII`(domain: String, ascii: String) throws {
        let address = try EmailAddress("Hanna@\(domain)")
        #expect(address.text == "Hanna@\(ascii)" && address.domain == ascii)
        #expect(EmailAddress.folded(" HANNA@\(domain)") == "hanna@\(ascii)")
        #expect(EmailAddress.folded("Hanna@\(ascii.uppercased())") == "hanna@\(ascii)")
        let readable = EmailAddress.readable(address.text)
        #expect(readable != address.text && EmailAddress.folded(readable) == "hanna@\(ascii)")
    }

    /// The second letter is Cyrillic.
    @Test func `A domain that looks like another one is another one, and shows it`() throws {
        let address = try EmailAddress("hanna@m\u{430}ller.example")
        #expect(address.text.hasPrefix("hanna@xn--") && address.domain != "maller.example")
    }

    /// They decode to an invisible letter, a capital one, one in two parts, a symbol, ASCII and nothing.
    @Test(arguments: [
        "xn--ab-m1t", "xn--o0a0dya", "xn--muller-xyd", "xn--a-ecp", "xn--abc-",
        "xn--99999999", "xn--",
    ])
    func `What nobody could have typed is shown as it is`(label: String) {
        #expect(EmailAddress.readable("a@\(label).example") == "a@\(label).example")
    }
}
