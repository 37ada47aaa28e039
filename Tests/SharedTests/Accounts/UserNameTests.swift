import Domain
import Testing

@Suite struct UserNameTests {
    @Test(arguments: [
        "", " \n", "anna@home", String(repeating: "x", count: 65), "an\u{200B}na", "an\0na", "\u{202E}anna", "\u{3164}",
        "anna\u{FF20}home",
        "a" + String(repeating: "\u{301}", count: 5_000),
    ])
    func `An invalid or misleading name is refused`(text: String) {
        #expect(throws: AppError.self) { try UserName(text) }
    }

    @Test func `White space at the ends is not part of a name`() throws {
        #expect(try UserName("  Anna Berger\n").text == "Anna Berger")
        #expect(try UserName(String(repeating: "ä", count: 64)).text.count == 64)
    }

    @Test(arguments: [("Anna", "aNNA"), ("J\u{FC}rgen", "ju\u{308}rgen"), ("ﬁona", "FIONA"), (" Anna ", "anna")])
    func `Spellings that people take for one fold to one`(first: String, second: String) {
        #expect(UserName.folded(first) == UserName.folded(second))
    }
}
