import Domain
import Testing

@Suite struct InvitationCSVTests {
    /// The addresses in a list, or the reason of the error.
    private func read(_ text: String) throws -> [String] {
        try InvitationCSV(text).lines.map { line in
            switch line.entry {
            case .success(let entry): "\(line.number) \(entry.email.text) \(entry.role) \(entry.team ?? "-")"
            case .failure(let error): "\(line.number) \(error.reason.rawValue)"
            }
        }
    }

    @Test(arguments: [
        "email,role,team\na@example.org,guest,Blue\n",
        "email,role,team\r\na@example.org,guest,Blue\r\n",
        "email,role,team\ra@example.org,guest,Blue",
        "\u{FEFF}email,role,team\r\na@example.org,guest,Blue\r\n",
        "email;role;team\r\na@example.org;guest;Blue\r\n",
        "\"email\",\"role\",\"team\"\r\n\"a@example.org\",\"guest\",\"Blue\"\r\n",
        "Team,EMAIL,Role\nBlue, a@example.org ,Guest\n",
    ])
    func `One list is read in all the ways spreadsheets save it`(text: String) throws {
        #expect(try read(text) == ["2 a@example.org guest Blue"])
    }

    @Test func `Quoted fields may contain separators, quotes and line breaks`() throws {
        let text = "email,team\na@example.org,\"Blue, \"\"Sky\"\"\nand Sea\"\nb@example.org,Red\n"
        #expect(try read(text) == ["2 a@example.org member Blue, \"Sky\"\nand Sea", "4 b@example.org member Red"])
    }

    @Test func `Blank lines are skipped and still counted`() throws {
        #expect(try read("email\n\na@example.org\n,\n") == ["3 a@example.org member -"])
    }

    /// Reports are opened in spreadsheets, which would execute these.
    @Test(arguments: ["=cmd@example.org", "+1@example.org", "-1@example.org", "@SUM(A1)", "\"=HYPERLINK(\"\"x\"\")\""])
    func `An address that begins like a formula is refused`(address: String) throws {
        #expect(try read("email\n\(address)\n") == ["2 malformed"])
    }

    @Test(arguments: ["a@example.org,owner", "a@example.org,member,extra", ",member", "nobody,member"])
    func `An invalid line is kept as such`(line: String) throws {
        #expect(try read("email,role\n\(line)\nb@example.org,\n") == ["2 malformed", "3 b@example.org member -"])
    }

    @Test(arguments: [
        "", "\n\n", "name\nAnna", "email,email\na,b", "email,colour\na,b", "email\n\"a", "email\n\"a\"b", "email\na\"b",
    ])
    func `An unreadable list is refused as a whole`(text: String) {
        #expect(throws: AppError.self) { try InvitationCSV(text) }
    }

    @Test func `A thousand lines are accepted and not one more`() throws {
        let line = "a@example.org\n"
        #expect(try InvitationCSV("email\n" + String(repeating: line, count: 1_000)).lines.count == 1_000)
        let error = #expect(throws: AppError.self) {
            try InvitationCSV("email\n" + String(repeating: line, count: 1_001))
        }
        #expect(error?.reason == .tooManyLines)
    }
}
