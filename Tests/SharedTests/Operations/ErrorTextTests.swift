import Testing

@testable import Domain

/// The parts of an error's texts that are stored.
@Suite struct ErrorTextTests {
    @Test(arguments: [
        ("Cannot reach maria.huber+x@example.org now", "Cannot reach … now"),
        ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln expired", "token … expired"),
        ("Authorization: Bearer abc.def", "Authorization: … abc.def"),
        ("password=hunter2 refused", "password=… refused"),
        ("password: hunter refused", "password: … refused"),
        ("GET https://example.org/api/v1/me?token=s3cret#x failed", "GET … failed"),
        ("GET /teams/4f0c1b7a9d2e48c6a3b5d7e9f1023456/vote failed", "GET … failed"),
        ("in file:///Users/maria/app/Vote.swift:12:3", "in Vote.swift:12:3"),
        ("no file C:\\Users\\maria\\notes.txt", "no file …"),
        ("session 550e8400-e29b-41d4-a716-446655440000 ended", "session … ended"),
        ("id 4f0c1b7a9d2e48c6a3b5d7e9f1023456 unknown", "id … unknown"),
        ("happiness 7.5 refused", "happiness #.# refused"),
        ("happiness ٧ and ７ and Ⅶ refused", "happiness # and # and # refused"),
        ("call with ?user=maria&x=1", "call with ?…"),
        ("User maria is gone", "User … is gone"),
    ])
    func `Personal details are removed from a message`(sent: String, kept: String) {
        #expect(ErrorText.message(sent) == kept)
    }

    @Test(arguments: [
        #"Unexpected token 'I', ..."feedback":I'm "sad" about it"... is not valid JSON"#,
        #"Could not send {"happiness":3,"feedback":"sad about it"}"#,
        "Text “sad about it” is too long", "Text „sad about it“ ist zu lang", "Texte «sad about it» trop long",
        "Text »sad about it« ist zu lang", "Value 'sad about it' refused", "Value `sad about it` refused",
        #"Value "sad about it"#, "Value 'sad about it", "Value ‘sad about it’ refused",
        "{\"a\":\"x\nsad about it\"}",
    ])
    func `A user's text is quoted and removed`(sent: String) {
        let kept = ErrorText.message(sent)
        #expect(!kept.contains("sad") && !kept.contains("about"), "\(kept)")
        #expect(kept.contains(ErrorText.gap))
    }

    @Test func `A program's own words stay`() {
        let messages = [
            "TypeError: Cannot read properties of null (reading 'focus')",
            "TypeError: can't access property \"dataset\", region is null", "NullPointerException in VoteViewModel",
            "ReferenceError: castBallot is not defined", "Die Verbindung wurde getrennt",
        ]
        for message in messages { #expect(ErrorText.message(message) == message) }
    }

    @Test(arguments: [
        ("at send (https://example.org/assets/v/3a9/vote.js:12:3)", "at send (vote.js:12:3)"),
        ("at https://example.org/assets/v/3a9/vote.js?x=maria:12:3", "at (vote.js:12:3)"),
        ("at async Object.send [as go] (/home/maria/app.mjs:1:2)", "at async Object.send [as go] (app.mjs:1:2)"),
        ("send@https://example.org/assets/v/3a9/vote.js:12:3", "send@vote.js:12:3"),
        ("@https://example.org/assets/v/3a9/vote.js:12:3", "@vote.js:12:3"),
        ("at org.example.Vote.cast(Vote.kt:42)", "at org.example.Vote.cast (Vote.kt:42)"),
        (
            "3   Happiness   0x0000000104a3f1c8 $s9Happiness8VoteViewV4send + 24",
            "3 Happiness 0x# $s9Happiness8VoteViewV4send + 24"
        ),
        ("Caused by: java.io.IOException: maria is sad", "Caused by: java.io.IOException"),
        // Swift's backtracer.
        ("0 level5() + 68 in crash at /home/maria/crash.swift:12:9", "0 level5() + 68 in crash at crash.swift:12:9"),
        (
            "1 [ra] 0x000055812 closure #1 in static Vote.cast(_:) in crash at /Users/Maria in love/app/Vote.swift:3:15",
            "1 [ra] closure #1 in static Vote.cast(_:) in crash at Vote.swift:3:15"
        ),
        (
            "2 [ra] [system]      static App.$main() + 8 in crash at /<compiler-generated>",
            "2 [ra] [system] static App.$main() + 8 in crash"
        ),
        (
            "3 [inlined] specialized Array.subscript.getter in crash at /a/b.swift:3",
            "3 [inlined] specialized Array.subscript.getter in crash at b.swift:3"
        ),
        ("6 0x12ab main in crash", "6 main in crash"),
        (
            "7 partial apply for closure #1 in Vote.send(to:) + 3 in App",
            "7 partial apply for closure #1 in Vote.send(to:) + 3 in App"
        ),
        (
            "*** Program crashed: Bad pointer dereference at 0x0000000000000004 ***",
            "Program crashed: Bad pointer dereference"
        ),
        ("Happiness/Vote.swift:42: Fatal error: Index out of range", "Vote.swift:42: Fatal error: Index out of range"),
        (
            "/home/maria huber/Vote.swift:42: Fatal error: refused \"I am sad\" of maria@example.org, 7.5",
            "Vote.swift:42: Fatal error: refused \"…\" of … #.#"
        ),
        ("Fatal error: token s3cretvalue1", "Fatal error: token …"),
    ])
    func `Frames stay, with file and position`(sent: String, kept: String) {
        #expect(ErrorText.stack(sent) == kept)
    }

    @Test(arguments: [
        "TypeError: I am sad about my lead", "at home I am sad", "at the meeting at 7:30", "at lunch (with maria:12:3)",
        "maria@example.org:12", "I gave 0x10 points", "4 people are 0xsad today",
        "at I am sad about my lead every day of the sprint (vote.js:1:2)", "",
        "4 people are sad in team", "4 people are sad in team at vote.js:1:2", "4 I am sad. + 3 in team",
        "4 I am sad in my team at 7:30", "I was told: Fatal error: I am sad", "*** Program crashed: maria gave 3 ***",
        " *  12│   let lead = \"maria\"", "Thread 0 \"maria\" crashed:", "rax 0x0000000000000004  4",
        "0x0000000104a3–0x0000000104b3 abcdef happiness /Users/maria/happiness",
    ])
    func `A line that is no frame is not kept`(sent: String) {
        #expect(
            ErrorText.stack("at a (vote.js:1:2)\n\(sent)\nat b (vote.js:2:3)")
                == "at a (vote.js:1:2)\nat b (vote.js:2:3)")
    }

    @Test func `The lines of code between Swift's frames take no place of frames`() {
        let frame = "level() in crash at /home/maria/crash.swift:12:9"
        let code = (1...7).map { "   \($0)│ let lead = maria" }.joined(separator: "\n")
        let stack = (0..<30).map { "\($0) \(frame)\n\n\(code)\n" }.joined()
        let lines = ErrorText.stack(stack).split(separator: "\n")
        #expect(lines.count == 30 && lines.last == "29 level() in crash at crash.swift:12:9")
    }

    @Test func `Only the first number of a platform is kept`() {
        #expect(ErrorText.platform("iOS 17.4.1") == "iOS 17")
        #expect(ErrorText.platform("Mac OS X 10_15_7") == "Mac OS X 10")
        #expect(ErrorText.platform("Android 14 maria@example.org") == "Android 14 …")
        #expect(ErrorText.platform("SM-G998B12345678") == "…")
    }

    @Test func `Hostile texts are read once and cut`() {
        let long = String(repeating: "\"'“„«", count: 200_000)
        #expect(ErrorText.message(long).count < 100)
        #expect(ErrorText.message(String(repeating: "a\u{301}\u{302}", count: 100_000)).unicodeScalars.count <= 2_000)
        #expect(ErrorText.message("a\u{0}b\u{202E}c\u{2028}d") == "a b c d")
        #expect(ErrorText.stack(String(repeating: "at a (vote.js:1:2)\n", count: 100_000)).count < 1_000)
        #expect(ErrorText.message(" \n\t ").isEmpty)
    }
}
