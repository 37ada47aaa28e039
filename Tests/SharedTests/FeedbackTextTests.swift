import Testing

@testable import Shared

@Suite struct FeedbackTextTests {
    @Test(arguments: ["", "  ", "\n\t \r\n"])
    func nothingButWhiteSpaceIsNoFeedback(text: String) throws {
        #expect(try FeedbackText(text) == nil)
    }

    @Test func linesAndEmojiAreKeptAndTheEndsTrimmed() throws {
        #expect(try FeedbackText(" Grüße 👩‍👩‍👧\n- one\t- two \n")?.text == "Grüße 👩‍👩‍👧\n- one\t- two")
    }

    @Test func theLimitCountsCharactersAsPeopleDo() throws {
        #expect(try FeedbackText(String(repeating: "ä", count: 2_000)) != nil)
        #expect(throws: AppError.self) { try FeedbackText(String(repeating: "a", count: 2_001)) }
        // One character on the screen, tens of kilobytes on the disk.
        #expect(throws: AppError.self) { try FeedbackText("a" + String(repeating: "\u{301}", count: 20_000)) }
    }

    @Test(arguments: ["a\0b", "a\u{1B}[31mb", "a\u{7}b", "a\u{85}b"])
    func controlCharactersAreRefused(text: String) {
        #expect(throws: AppError.self) { try FeedbackText(text) }
    }
}
