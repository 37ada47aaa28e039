import Foundation
import Services
import TestSupport
import Testing

/// `.env`: what editors save is read, and a line that cannot be read is named.
@Suite struct SettingsFileTests {
    @Test func `Lines without an effect are listed in their order`() throws {
        let file = try Self.file(
            """
            # MAIL_DRIVE=smtp
            MAIL_DRIVR=smtp
            PORT=8081
            OIDC_PROVIDERS=company
            OIDC_COMPANY_ISSUER=https://id.example.org
            OIDC_COMPANY_ISUER=https://id.example.org
            port=8081

            PORT=8082
            """)
        #expect(
            file.notices == [
                ".env, line 2: MAIL_DRIVR is not a setting.",
                ".env, line 3: has no effect, because line 9 sets PORT again.",
                ".env, line 6: OIDC_COMPANY_ISUER is not a setting.", ".env, line 7: port is not a setting.",
            ])
        #expect(file.values["PORT"] == "8082")
    }

    @Test func `A setting of the first system names its successor and not its value`() throws {
        let successors = [
            "MAILGUN_KEY": "MAILGUN_API_KEY", "SECRET_ACCESS_TOKEN": "JWT_SECRET", "ACCESS_KEY_ID": "S3_ACCESS_KEY_ID",
            "SECRET_ACCESS_KEY": "S3_SECRET_ACCESS_KEY", "MONGODB_PASSWORD": "DATABASE_URL",
        ]
        for (former, successor) in successors {
            #expect(Settings.keys.contains(successor))
            let notice = try #require(try Self.file("\(former)=hunter2").notices.first)
            #expect(notice.hasPrefix(".env, line 1: \(former) is a setting of the first system. Set \(successor)"))
            #expect(!notice.contains("hunter2"))
        }
        let environment = ["SECRET_ACCESS_KEY": "hunter2", "PATH": "/bin", "ACCESS_KEY_ID": "a"]
        #expect(
            FormerSettings.notices(in: environment) == [
                "ACCESS_KEY_ID is a setting of the first system. Set S3_ACCESS_KEY_ID.",
                "SECRET_ACCESS_KEY is a setting of the first system. Set S3_SECRET_ACCESS_KEY.",
            ])
    }

    @Test func `Every setting is known`() throws {
        let file = try Self.file(Settings.keys.map { "\($0)=x" }.joined(separator: "\n"))
        #expect(file.notices.isEmpty)
    }

    /// The encodings in which editors save a file; Notepad's “Unicode” is UTF-16.
    enum Form: CaseIterable {
        case utf8, utf8WithMark, utf16LittleEndian, utf16BigEndian

        func bytes(_ text: String) -> Data {
            let units = Array("\u{feff}\(text)".utf16)
            return switch self {
            case .utf8: Data(text.utf8)
            case .utf8WithMark: Data("\u{feff}\(text)".utf8)
            case .utf16LittleEndian: Data(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
            case .utf16BigEndian: Data(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
            }
        }
    }

    /// Read by the programs and by the script that `make run` reads settings with.
    @Test(arguments: Form.allCases, ["\n", "\r\n", "\r"])
    func `A file is read as any editor saves it`(form: Form, lineEnd: String) async throws {
        let lines = [
            "# Ein Kommentar für alle", "PORT=8081", "", "  export  LOG_LEVEL = debug \t",
            "MAIL_FROM=\"Glück <a@b.example>\"", "DATA_DIR='a \"b\" $c # d'", "HOST=::1", "JWT_SECRET=a=b\\n#c",
            "METRICS_PORT=", "BCRYPT_COST=\"\"", "HOST=::2",
        ]
        let expected = [
            "PORT": "8081", "LOG_LEVEL": "debug", "MAIL_FROM": "Glück <a@b.example>", "DATA_DIR": "a \"b\" $c # d",
            "HOST": "::2", "JWT_SECRET": "a=b\\n#c", "METRICS_PORT": "", "BCRYPT_COST": "",
        ]
        // With and without an end of the last line.
        for text in [lines.joined(separator: lineEnd), (lines + [""]).joined(separator: lineEnd)] {
            let bytes = form.bytes(text)
            #expect(try SettingsFile(bytes).values == expected)
            try await TemporaryDirectory.with { directory in
                try bytes.write(to: directory.url.appending(path: ".env"))
                for (key, value) in expected {
                    #expect(try Self.readByScript(key, in: directory) == value, "\(key)")
                }
            }
        }
    }

    @Test func `The script takes the environment first, and an empty value of it too`() async throws {
        try await TemporaryDirectory.with { directory in
            #expect(try Self.readByScript("PORT", "8080", in: directory) == "8080")
            try Data("PORT=1\n".utf8).write(to: directory.url.appending(path: ".env"))
            #expect(try Self.readByScript("PORT", "8080", in: directory) == "1")
            #expect(try Self.readByScript("PORT", "8080", in: directory, environment: ["PORT": "2"]) == "2")
            #expect(try Self.readByScript("PORT", "8080", in: directory, environment: ["PORT": ""]) == "8080")
        }
    }

    @Test func `A line that cannot be read is named by its number, and not repeated`() throws {
        for line in [
            "hunter2", "=hunter2", "A B=hunter2", "MAIL-FROM=hunter2", "exportPORT hunter2", "\u{feff}PORT=hunter2",
            "PORT=\"hunter2", "PORT='hunter2", "PORT=\"hunter2'", "PORT='a' hunter2 'b'", "PORT=\"",
            "PORT=\"hunter2\\\"\"", "PORT=hunter2 # a comment", "PORT= # hunter2", "PORT=hunter2\u{0}",
            "PORT\u{0}=hunter2", "PORT=hunter2\u{b}x", "PORT=hunter2\u{85}x",
        ] {
            let error = try #require(throws: SettingsFileError.self) {
                try Self.file("# A comment\r\n\r\nHOST=::1\r\n\(line)\r\nLOG_LEVEL=debug\r\n")
            }
            #expect(error.lines.count == 1 && error.description.hasPrefix(".env, line 4: "), "\(error)")
            #expect(!error.description.contains("hunter2"))
        }
    }

    @Test func `Bytes that are not text are refused where somebody reads them`() throws {
        let latin = Data("# f".utf8) + [0xFC] + Data("r alle\nPORT=1\nMAIL_FROM=Gl".utf8) + [0xFC] + Data("ck\n".utf8)
        let refused = try #require(throws: SettingsFileError.self) { try SettingsFile(latin) }
        #expect(refused.lines == [".env, line 3: it is not text in UTF-8. Save the file as UTF-8."])
        // UTF-16 without a mark, half a unit at the end, UTF-32.
        let unmarked = Data(Form.utf16LittleEndian.bytes("PORT=1").dropFirst(2))
        let cut = Data(Form.utf16BigEndian.bytes("PORT=1\nHOST=::1").dropLast())
        let utf32 = Data([0xFF, 0xFE, 0, 0]) + Data("PORT=1".utf8.flatMap { [$0, 0, 0, 0] })
        for (bytes, line) in [(unmarked, 1), (cut, 2), (utf32, 1)] {
            let error = try #require(throws: SettingsFileError.self) { try SettingsFile(bytes) }
            #expect(error.lines.map { String($0.prefix(13)) } == [".env, line \(line):"], "\(error)")
        }
    }

    @Test func `All lines that cannot be read are reported at once`() throws {
        let error = try #require(throws: SettingsFileError.self) { try Self.file("a\nPORT=1\nb\nHOST='x") }
        #expect(error.description.split(separator: "\n").count == 3)
    }

    @Test(arguments: ["plain", "", " a ", "'a'", "\"a\"", "'", "a # b", "#a", "$a\\n", "it's", "\"a\" <b>", "ü=ß"])
    func `A value is written so that it is read back`(value: String) throws {
        let line = try SettingsFile.line("JWT_SECRET", value)
        #expect(try Self.file(line).values == ["JWT_SECRET": value])
    }

    @Test func `A value that no line can have is not written`() {
        for value in ["hunter2\n", "a\rhunter2", "\"hunter2' # \\"] {
            let error = #expect(throws: OperatorError.self) { try SettingsFile.line("JWT_SECRET", value) }
            #expect(error?.description.contains("JWT_SECRET") == true)
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    private static func file(_ text: String) throws -> SettingsFile { try SettingsFile(Data(text.utf8)) }

    private static func readByScript(
        _ arguments: String..., in directory: TemporaryDirectory, environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = Repository.root.appending(path: "scripts/setting.sh")
        process.arguments = arguments
        process.currentDirectoryURL = directory.url
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
