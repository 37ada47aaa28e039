import Domain
import Testing

@Suite struct FeedbackTextTests {
    @Test(arguments: ["", "  ", "\n\t \r\n"])
    func `White space alone is no feedback`(text: String) throws {
        #expect(try FeedbackText(text) == nil)
    }

    @Test func `Lines and emoji are kept, and the ends trimmed`() throws {
        #expect(try FeedbackText(" Grüße 👩‍👩‍👧 ❤️\n- one\t- two \n")?.text == "Grüße 👩‍👩‍👧 ❤️\n- one - two")
    }

    /// Different byte sequences for the same text, depending on the device.
    @Test(arguments: [
        ("one\r\ntwo\rthree\u{2028}four\u{85}five", "one\ntwo\nthree\nfour\nfive"),
        ("u\u{308}ber", "\u{FC}ber"),
        ("a\u{A0}b\u{202F}c\u{2003}d\u{3000}e", "a b c d e"),
        ("a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e\u{200E}f\u{202E}g\u{34F}h", "abcdefgh"),
        ("a\u{200D}b\u{FE0F}c", "abc"),
        ("\u{1F600}\u{FE0F}\u{200D}", "\u{1F600}\u{FE0F}"),
        ("tag \u{E0041}\u{E0042}", "tag"),
    ])
    func `How a text was typed does not show`(typed: String, stored: String) throws {
        #expect(try FeedbackText(typed).map { Array($0.text.utf8) } == Array(stored.utf8))
    }

    @Test func `Invisible characters alone are no feedback`() throws {
        #expect(try FeedbackText("\u{200B}\u{FEFF} \u{2060}") == nil)
    }

    @Test func `The limit counts characters as people do`() throws {
        #expect(try FeedbackText(String(repeating: "ä", count: 2_000)) != nil)
        #expect(throws: AppError.self) { try FeedbackText(String(repeating: "a", count: 2_001)) }
        // One character on the screen, tens of kilobytes on the disk.
        #expect(throws: AppError.self) { try FeedbackText("a" + String(repeating: "\u{301}", count: 20_000)) }
    }

    @Test(arguments: ["a\0b", "a\u{1B}[31mb", "a\u{7}b", "a\u{9F}b"])
    func `Control characters are refused`(text: String) {
        #expect(throws: AppError.self) { try FeedbackText(text) }
    }
}
