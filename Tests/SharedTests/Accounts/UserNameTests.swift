import Domain
import Testing

@Suite struct UserNameTests {
    @Test(arguments: [
        "", " \n", "anna@home", String(repeating: "x", count: 65), "an\u{200B}na", "an\0na", "\u{202E}anna", "\u{3164}",
        "anna\u{FF20}home", "\u{200D}", "\u{200C} \u{200D}", "an\u{2066}na", "an\u{AD}na", "an\u{2060}na",
        "an\u{E0061}na",
        "a" + String(repeating: "\u{301}", count: 5_000),
    ])
    func `An invalid or misleading name is refused`(text: String) {
        #expect(throws: AppError.self) { try UserName(text) }
    }

    @Test func `White space at the ends is not part of a name`() throws {
        #expect(try UserName("  Anna Berger\n").text == "Anna Berger")
        #expect(try UserName(String(repeating: "ä", count: 64)).text.count == 64)
    }

    /// A family, Persian, and Malayalam.
    @Test(arguments: [
        "Ada \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{645}\u{6CC}\u{200C}\u{646}\u{627}",
        "\u{D28}\u{D4D}\u{200D}",
    ])
    func `Names with joiners stay as they are`(name: String) throws {
        #expect(try UserName(name).text.unicodeScalars.elementsEqual(name.unicodeScalars))
        #expect(try TeamName(name).text.unicodeScalars.elementsEqual(name.unicodeScalars))
        #expect(try HeaderText(name).text.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test(arguments: [
        ("Anna", "an\u{200C}na"), ("Anna", "\u{200D}anna\u{200D} "), ("Anna", "aNNA"), ("J\u{FC}rgen", "ju\u{308}rgen"),
        ("ﬁona", "FIONA"), (" Anna ", "anna"),
    ])
    func `Spellings that people take for one fold to one`(first: String, second: String) {
        #expect(UserName.folded(first) == UserName.folded(second))
    }
}
