import Domain
import Foundation
import Mail
import Testing

@Suite struct MIMEMessageTests {
    @Test func `A plain mail consists of exactly these bytes`() throws {
        let bytes = MIMEMessage(try MailFixtures.message()).bytes
        let expected = """
            Date: Sat, 21 Nov 2026 00:28:51 +0000
            From: Happiness Metric
             <happiness@example.org>
            To: Ada Lovelace
             <ada@example.com>
            Message-ID: <0123456789abcdef0123456789abcdef@example.org>
            Subject: Hello
            Auto-Submitted: auto-generated
            X-Auto-Response-Suppress: All
            Content-Language: en
            MIME-Version: 1.0
            Content-Type: multipart/alternative;
             boundary="=_0123456789abcdef0123456789abcdef"

            --=_0123456789abcdef0123456789abcdef
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            Hello

            --=_0123456789abcdef0123456789abcdef
            Content-Type: text/html; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            <p>Hello</p>

            --=_0123456789abcdef0123456789abcdef--

            """
        #expect(String(decoding: bytes, as: UTF8.self) == expected.replacing("\n", with: "\r\n"))
    }

    @Test func `Mail programs learn how to end mails of a kind`() throws {
        let url = "https://happiness.example.org/unsubscribe?token=reminders.0123456789abcdef0123456789abcdef.x-_y"
        let text = String(decoding: MIMEMessage(try MailFixtures.message(unsubscribe: url)).bytes, as: UTF8.self)
        #expect(
            text.contains("\r\nList-Unsubscribe: <\(url)>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"))
        #expect(try ParsedMail(Array(text.utf8)).defects == [])
        // RFC 8058 §3.1 demands HTTPS.
        let plain = try MailFixtures.message(unsubscribe: "http://localhost:8080/unsubscribe?token=x")
        let plainText = String(decoding: MIMEMessage(plain).bytes, as: UTF8.self)
        #expect(plainText.contains("\r\nList-Unsubscribe: <http://localhost:8080/unsubscribe?token=x>\r\n"))
        #expect(!plainText.contains("List-Unsubscribe-Post"))
    }

    @Test(arguments: [
        "https://x.example/\r\nBcc: y", "https://x.example/ y", "https://x.example/>,<z", "", "https://ü.example",
    ])
    func `An address that could end the header gets none`(url: String) throws {
        #expect(UnsubscribeLink(url) == nil)
        let text = String(decoding: MIMEMessage(try MailFixtures.message(unsubscribe: url)).bytes, as: UTF8.self)
        #expect(!text.contains("List-Unsubscribe"))
    }

    @Test func `Text that is not ASCII is encoded`() throws {
        let message = try MailFixtures.message(
            name: "Jürgen, der Große", subject: "Happiness-Metric Passwort zurücksetzen", text: "Grüße = 100 % \n.\n")
        let text = String(decoding: MIMEMessage(message).bytes, as: UTF8.self)
        #expect(text.contains("Subject: =?UTF-8?B?SGFwcGluZXNzLU1ldHJpYyBQYXNzd29ydCB6dXLDvGNrc2V0emVu?=\r\n"))
        #expect(text.contains("To: =?UTF-8?B?SsO8cmdlbiwgZGVyIEdyb8OfZQ==?=\r\n <ada@example.com>\r\n"))
        #expect(text.contains("Gr=C3=BC=C3=9Fe =3D 100 %=20\r\n.\r\n"))
    }

    @Test func `Every line is short and ASCII`() throws {
        let long = String(repeating: "Äöü€🙂 ", count: 40)
        let message = try MailFixtures.message(
            name: String(repeating: "😀é", count: 60), subject: String(repeating: "ß", count: 200),
            html: String(repeating: "x", count: 5000), text: long)
        let bytes = MIMEMessage(message).bytes
        #expect(bytes.allSatisfy { $0 < 128 })
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        #expect(lines.dropLast().allSatisfy { $0.count <= 77 && $0.last == 13 })
        #expect(lines.allSatisfy { $0.dropLast().contains(13) == false })
    }

    /// Python's mail parser reads what was written, with any characters.
    @Test(arguments: [
        ("Ada", "Hello", "Hello\nWorld\n", "<p>Hello</p>\n"),
        ("Ada \"Countess\" <x@evil.example>, L.", "=?UTF-8?Q?faked?=", ".\n..\nFrom me\n", "<p title='=3D'>\n"),
        (
            "Jürgen, der Große 🙂", "Dein Happiness-Metric Passwort wurde geändert, und zwar gerade eben",
            "Trailing blank \nTab\t\n\nGrüße 🙂\n", "<p>Grüße — „🙂“</p>\n"
        ),
        ("李小龍 🙂", String(repeating: "日本語 ", count: 30) + "!", "日本語\n", "<p>日本語</p>\n"),
        // No longer name: Python inserts a space between the encoded words of one.
        ("Mr. O'Neill (Home)", String(repeating: "word ", count: 40), "a\n", "b\n"),
    ])
    func `A mail program decodes the written headers`(
        name: String, subject: String, text: String, html: String
    ) throws {
        let message = try MailFixtures.message(name: name, subject: subject, html: html, text: text)
        let parsed = try ParsedMail(MIMEMessage(message).bytes)
        #expect(parsed.defects == [])
        #expect(parsed.subject == message.subject.text)
        #expect(parsed.to == [[message.to.name?.text ?? "", "ada@example.com"]])
        #expect(parsed.from == [["Happiness Metric", "happiness@example.org"]])
        #expect(parsed.date == "2026-11-21T00:28:51+00:00")
        #expect(parsed.types == ["text/plain", "text/html"])
        #expect(parsed.parts == [text, html])
    }
}

/// A mail as parsed by Python's `email` package.
struct ParsedMail: Decodable {
    let subject: String
    let to: [[String]]
    let from: [[String]]
    let date: String
    let types: [String]
    let parts: [String]
    let defects: [String]

    private static let program = """
        import email, email.policy, json, sys
        m = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
        people = lambda h: [[a.display_name, a.addr_spec] for a in m[h].addresses]
        parts = list(m.iter_parts())
        defects = [repr(d) for p in [m] + parts for d in p.defects]
        defects += [repr(d) for h in m.values() for d in getattr(h, "defects", [])]
        print(json.dumps({
            "subject": str(m["Subject"]), "to": people("To"), "from": people("From"),
            "date": m["Date"].datetime.isoformat(), "types": [p.get_content_type() for p in parts],
            "parts": [p.get_content() for p in parts], "defects": defects}))
        """

    init(_ bytes: some Sequence<UInt8>) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // A test mail fits into a pipe's buffer, so neither side blocks.
        try input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try input.fileHandleForWriting.close()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        self = try JSONDecoder().decode(Self.self, from: json)
    }
}
