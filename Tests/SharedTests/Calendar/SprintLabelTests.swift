import Domain
import Foundation
import Testing

@Suite struct SprintLabelTests {
    @Test(arguments: ["2020/3", "2020/0", "1/1", "9999/99", "2026/26", "2026/3b", "2026/10z"])
    func `The text is read as it is printed`(text: String) {
        #expect(SprintLabel(text)?.description == text)
    }

    @Test(arguments: [
        "", "/", "2020", "2020/", "/3", "2020/03", "2020/00", "02020/3", "020/3", "0/3", "00/3", "10000/1", "2020/100",
        " 2020/3", "2020/3 ", "2020 /3", "+2020/3", "-2020/3", "2020/+3", "2020/-3", "2020/3a", "2020/3B", "2020/3bc",
        "2020/3b ", "2020//3", "2020/3/4", "2020/٣", "２０２０/3", "2020/3é", "2020/3\u{301}", "2020/3.0", "2020-3",
        "2020/3\n",
        "2020/b", "99999999999999999999/1", "2020/99999999999999999999",
    ])
    func `Any other text is refused`(text: String) {
        #expect(SprintLabel(text) == nil)
    }

    @Test func `Every label within the limits survives its text`() {
        for year in [1, 9, 10, 99, 100, 999, 1000, 2026, 9999] {
            for number in SprintLabel.numbers {
                for suffix in ["", "b", "m", "z"] {
                    let label = SprintLabel(year: year, number: number, suffix: suffix)
                    #expect(SprintLabel(label.description) == label)
                }
            }
        }
    }

    @Test func `JSON contains the text`() throws {
        let label = SprintLabel(year: 2026, number: 3, suffix: "b")
        let data = try JSONEncoder().encode(["sprint": label])
        #expect(try JSONDecoder().decode([String: String].self, from: data) == ["sprint": "2026/3b"])
        #expect(try JSONDecoder().decode([String: SprintLabel].self, from: data) == ["sprint": label])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([SprintLabel].self, from: Data(#"["2026/03"]"#.utf8))
        }
    }

    @Test func `A used label gets the next free letter`() {
        let label = SprintLabel(year: 2026, number: 3)
        var taken: Set<SprintLabel> = []
        var texts: [String] = []
        while let free = label.firstFree(among: taken) {
            taken.insert(free)
            texts.append(free.description)
        }
        #expect(texts.prefix(3) == ["2026/3", "2026/3b", "2026/3c"])
        #expect(texts.count == 26)
    }
}
