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
        "email\trole\tteam\r\na@example.org\tguest\tBlue\r\n",
        "E-Mail;Role;Team;\r\nMüller, Anna <a@example.org>;guest;Blue;\r\n",
        "email,role,team,\na@example.org,guest,Blue,\n",
        "email,role,team\na@example.org,guest,Blue,,\n",
        "Name,E-mail Address,role,team\n\"Müller, Anna\",mailto:a@example.org,guest,Blue\n",
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

    @Test(
        arguments: [
            ("", "The list is empty"), ("\n\n", "The list is empty"), ("name\nAnna", "must name the columns"),
            ("email,email\na,b", "Line 1 names the column “email” twice"),
            ("email\n\"a", "Line 2 has a quotation mark"), ("email\n\"a\"b", "Line 2 has a quotation mark"),
            ("E-mail Address;x\nb@example.org;\na\"b", "Line 3 has a quotation mark"),
            ("sep=;\nemail;Teams\na@example.org;Blue", "Line 2: the column “Teams” isn’t known"),
            ("email,team rol\na@example.org,lead", "the column “team rol” isn’t known"),
        ] as [(String, String)])
    func `An unreadable list is refused as a whole, naming line and column`(text: String, reason: String) throws {
        let error = try #require(throws: AppError.self) { try InvitationCSV(text) }
        #expect(error.message.contains(reason), "\(error.message)")
    }

    /// The first lines of what these products export, and two people.
    private static let exports: [(name: String, text: String)] = [
        (
            "Slack",
            """
            username,email,status,billing-active,has-2fa,has-sso,userid,fullname,displayname,expiration-timestamp
            anna,a@example.org,Admin,1,0,0,U01,Anna Müller,Anna,
            bert,b@example.org,Member,1,0,0,U02,Bert,,
            """
        ),
        (
            "Google Workspace",
            """
            First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required],\
            Recovery Email,Manager Email,Status [READ ONLY]
            Anna,Müller,a@example.org,/,anna@home.example,boss@example.org,Active
            Bert,"Meier, Dr.",b@example.org,/,,,Active
            """
        ),
        (
            "a Google group",
            """
            Group Email [Required],Member Email,Member Name,Member Role,Member Type
            all@example.org,a@example.org,,MEMBER,USER
            all@example.org,b@example.org,,OWNER,USER
            """
        ),
        (
            "a Google group, as its members see it",
            """
            Members for group all@example.org
            Email address,Nickname,Group status,Email status,Email preference
            a@example.org,Anna,owner,,email
            b@example.org,Bert,member,,email
            """
        ),
        (
            "Entra ID",
            """
            userPrincipalName,displayName,surname,mail,givenName,objectId,userType,accountEnabled,authenticationEmail
            anna_example.org#EXT#@firm.onmicrosoft.com,Anna,Müller,a@example.org,Anna,1,Guest,True,x@y.example
            b@example.org,Bert,,,Bert,2,Member,True,
            """
        ),
        (
            "Outlook in German",
            """
            "Anrede";"Vorname";"Nachname";"E-Mail-Adresse";"E-Mail-Typ";"E-Mail: Angezeigter Name";"Sprache"
            "";"Anna";"Müller";"a@example.org";"SMTP";"Anna Müller (a@example.org)";""
            "";"Bert";"Meier";"b@example.org";"SMTP";"Bert (b@example.org)";""
            """
        ),
        ("Outlook", "First Name,E-mail Address,E-mail 2 Address\nAnna,a@example.org,a@home.example\nB,b@example.org,"),
        ("Google Contacts", "First Name,E-mail 1 - Label,E-mail 1 - Value\nAnna,Work,a@example.org\nB,,b@example.org"),
        ("Excel without names of columns", "Müller\tAnna\ta@example.org\t\r\nMeier\tBert\tb@example.org\t\r\n"),
        ("a column that is not known", "Nom;Courriel\nAnna;a@example.org\nBert;b@example.org"),
        ("one column without a name", "a@example.org;\r\nb@example.org;\r\n"),
        ("recipients", "\"Müller, Anna\" <a@example.org>, Bert <b@example.org>"),
        ("recipients in Outlook", "Müller, Anna <a@example.org>; Meier, Bert <b@example.org>\r\n"),
        ("names that are addresses", "\"old@example.org\" <a@example.org>; b@example.org <b@example.org>;"),
        ("addresses and names", "a@example.org; Bert <b@example.org>"),
        ("a list in one line", "a@example.org, b@example.org"),
    ]

    @Test(arguments: exports)
    func `Lists of other products are understood`(list: (name: String, text: String)) throws {
        let people = try InvitationCSV(list.text).lines.map { try $0.entry.get().email.text }
        #expect(people == ["a@example.org", "b@example.org"], "\(list.name)")
        #expect(AddressList(list.text).entries.map(\.text) == people, "\(list.name), pasted")
    }

    @Test(arguments: [
        ("username,email,status\nx,a@example.org,Deactivated", "status"),
        ("Email Address [Required];Status [READ ONLY]\na@example.org;Suspended", "Status [READ ONLY]"),
        ("mail,accountEnabled\na@example.org,False", "accountEnabled"),
    ])
    func `Who has left is not invited`(text: String, column: String) throws {
        let line = try #require(try InvitationCSV(text).lines.first)
        #expect(throws: AppError.self) { try line.entry.get() }
        #expect(line.column == column)
        #expect(AddressList(text).entries.map(\.isDisabled) == [true])
    }

    @Test func `A line says which of its columns is invalid, and the list which columns say nothing`() throws {
        let list = try InvitationCSV("Mail;Rolle;role;locale;\nx;;;;\nb@example.org;;king;;\nc@example.org;;;xx;\n")
        #expect(list.lines.map(\.column) == ["Mail", "role", "locale"])
        #expect(list.ignoredColumns == ["Rolle"])
    }

    @Test func `What is pasted and no address is kept, so that nobody is forgotten`() {
        let texts = ["a@example.org nonsense", "a@example.org, nonsense", "a@example.org\nnonsense", "nonsense <x>"]
        let entries = texts.map { AddressList($0).entries.map(\.text) }
        let pair = ["a@example.org", "nonsense"]
        #expect(entries == [pair, pair, pair, ["x"]])
    }

    @Test func `Excel's Unicode text is read, and another encoding names its line`() throws {
        let text = "E-Mail\tteam\r\na@example.org\tGrün\r\n"
        for (mark, isBig) in [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)] as [([UInt8], Bool)] {
            let bytes = text.utf16.flatMap { unit in
                isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            }
            #expect(try SpreadsheetText.decoded(mark + bytes) == text)
            #expect(throws: SpreadsheetText.UnknownEncoding.self) { try SpreadsheetText.decoded(mark + bytes + [0]) }
        }
        #expect(try SpreadsheetText.decoded(Array("\u{FEFF}é".utf8)) == "é")
        let latin = Array("email\na@example.org\nGr".utf8) + [0xFC, 0x6E]
        let error = #expect(throws: SpreadsheetText.UnknownEncoding.self) { try SpreadsheetText.decoded(latin) }
        #expect(error?.line == 3)
    }

    /// A form has room for as many. To read each column of each line would keep a core busy for minutes.
    @Test(.timeLimit(.minutes(1)), arguments: ["a", "mail", "status"])
    func `Thousands of columns are not read for each of thousands of lines`(column: String) {
        let header = "E-Mail" + String(repeating: ",\(column)", count: 10_000)
        let text = header + "\n" + String(repeating: "a@example.org\n", count: 10_000)
        #expect(AddressList(text).entries.count == 10_000)
        let error = #expect(throws: AppError.self) { try InvitationCSV(text) }
        #expect(error?.reason == .tooManyLines)
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
