import Domain
import Foundation
import Testing

/// What of the first system's data can be moved, and what an operator is told about the rest.
@Suite struct ClassicPlanTests {
    /// Thursday 2026-01-08, in sprint 2026/1.
    private static let now = Date(timeIntervalSince1970: 1_767_830_400)
    private static let hash = "$2b$10$" + String(repeating: "a", count: 53)

    private static func plan(
        people: [ClassicDump.Person] = [], results: [ClassicDump.Result] = [], votes: [ClassicDump.Vote] = []
    ) -> ClassicPlan {
        ClassicPlan(
            ClassicDump(people: people, results: results, votes: votes), zone: .gmt, threshold: 3, bcryptCosts: 4...16,
            at: now)
    }

    private static func person(
        _ username: String?, _ email: String?, password: String? = ClassicPlanTests.hash, deviceToken: String? = nil
    ) -> ClassicDump.Person {
        ClassicDump.Person(
            created: nil, username: username, email: email, password: password, deviceToken: deviceToken)
    }

    private static func result(
        _ sprint: String?, _ happiness: Double? = 7, _ votes: Int? = 4, _ sum: Double? = 28, month: Int? = 5,
        feedbacks: [String] = []
    ) -> ClassicDump.Result {
        ClassicDump.Result(
            sprint: sprint, happiness: happiness, votes: votes, happinesssum: sum, month: month, feedbacks: feedbacks)
    }

    @Test func `Names that differ only in case get numbers, and unfit ones the address's`() {
        let plan = Self.plan(people: [
            Self.person("Anna", "anna@example.org"), Self.person("anna", "other@example.org"),
            Self.person("x@y", "ben@example.org"), Self.person(nil, "ANNA-2@example.org"),
            Self.person("cleo@example.org", nil),
        ])
        #expect(plan.people.map(\.name.text) == ["Anna", "anna-2", "ben", "ANNA-2-2", "cleo"])
        #expect(plan.people.last?.email.text == "cleo@example.org")
        #expect(
            plan.lines == [
                "users “anna”: username cannot be kept. The log-in is with “anna-2” or the address.",
                "users “x@y”: username cannot be kept. The log-in is with “ben” or the address.",
                "users, document 4: username cannot be kept. The log-in is with “ANNA-2-2” or the address.",
                "users “cleo@example.org”: username cannot be kept. The log-in is with “cleo” or the address.",
            ])
    }

    @Test func `Without an address of their own, accounts are left out`() {
        let plan = Self.plan(people: [
            Self.person("anna", "anna@example.org"), Self.person("ben", "Anna@Example.org"),
            Self.person("cleo", "cleo"), Self.person("dan\u{1B}[2J", ""),
        ])
        #expect(plan.people.map(\.name.text) == ["anna"])
        #expect(
            plan.lines == [
                "users “ben”: email belongs to another account, too. It is left out.",
                "users “cleo”: email is not an e-mail address, and an account needs one. It is left out.",
                "users “dan[2J”: email is missing, and an account needs one. It is left out.",
            ])
    }

    /// Hashes, and whether they are kept.
    private static let hashes: [(password: String, isKept: Bool)] = [
        (hash, true), (hash.replacing("$2b$", with: "$2a$"), true), (hash.replacing("$2b$", with: "$2y$"), true),
        (hash.replacing("$10$", with: "$04$"), true), (hash.replacing("$10$", with: "$31$"), false),
        (hash.replacing("$10$", with: "$03$"), false), (hash.replacing("$2b$", with: "$2x$"), false),
        (hash + "a", false), ("5f4dcc3b5aa765d61d8327deb882cf99", false), ("", false), ("secret", false),
    ]

    @Test(arguments: hashes)
    func `Hashes of bcrypt with a usual cost are kept`(password: String, isKept: Bool) {
        let plan = Self.plan(people: [Self.person("anna", "anna@example.org", password: password)])
        #expect(plan.people.map(\.passwordHash) == [isKept ? password : nil])
        #expect(plan.lines.count == (isKept ? 0 : 1))
    }

    @Test func `Phones are told apart by their tokens, and each has one owner`() {
        let apple = String(repeating: "A1", count: 32)
        let plan = Self.plan(people: [
            Self.person("anna", "anna@example.org", deviceToken: apple),
            Self.person("ben", "ben@example.org", deviceToken: "abc:def"),
            Self.person("cleo", "cleo@example.org", deviceToken: apple.lowercased()),
            Self.person("dan", "dan@example.org", deviceToken: "no token"),
        ])
        #expect(
            plan.people.map(\.device) == [.apns(token: apple.lowercased()), .fcm(token: "abc:def"), nil, nil])
        #expect(plan.lines.count == 2)
    }

    /// Results that are left out, and why.
    private static let unfit: [(result: ClassicDump.Result, line: String)] = [
        (result(nil), "happinesses, document 1: sprint is not a name"),
        (result("2020/03"), "happinesses “2020/03”: sprint is not a name"),
        (result("2027/3"), "happinesses “2027/3”: sprint is not a name"),
        (result("2026/2", month: 0), "happinesses 2026/2: the calendar has no such sprint yet."),
        (result("2020/3", 0, 0, 0), "happinesses 2020/3: votes is 0."),
        (result("2020/3", 7, nil, 28), "happinesses 2020/3: votes is not a number."),
        (result("2020/3", 7, 2, 14), "happinesses 2020/3: votes is 2, and no result of fewer than 3 is shown."),
        (result("2026/1", 7, 2, 14, month: 0), "those who voted can vote again."),
        (result("2020/3", 11, 4, 44), "happinesses 2020/3: happinesssum does not fit 4 votes"),
        (result("2020/3", nil, 4, nil), "happinesses 2020/3: happinesssum does not fit 4 votes"),
    ]

    @Test(arguments: unfit)
    func `A result that cannot be stored is named`(result: ClassicDump.Result, line: String) {
        let plan = Self.plan(results: [result])
        #expect(plan.past.isEmpty && plan.running == nil)
        #expect(plan.lines.count == 1 && plan.lines.first?.contains(line) == true, "\(plan.lines)")
    }

    @Test func `The sum counts, whatever the mean says`() {
        let plan = Self.plan(results: [
            Self.result("2020/3", 5.5, 4, 22), Self.result("2020/4", 7, 4, 22), Self.result("2020/5", 5.5, 4, nil),
            // 0.1 + 0.2 + 0.3 in JavaScript.
            Self.result("2020/6", 0.2, 3, 0.6000000000000001), Self.result("2020/7", nil, 3, 10.25),
        ])
        #expect(plan.past.map(\.tally.sum) == [220, 220, 220, 6, 103])
        #expect(plan.past.map(\.tally.happiness) == [5.5, 5.5, 5.5, 0.2, 103.0 / 30])
        #expect(plan.lines.count == 2)
        #expect(
            plan.lines.first == "happinesses 2020/4: happiness is 7.0, but happinesssum / votes is 5.5, which counts.")
        #expect(plan.lines.last?.contains("happinesses 2020/7: happinesssum is 10.25, which is not in tenths.") == true)
    }

    /// 2020 has 53 weeks: its last sprint is three weeks long and ends on 2021-01-10.
    @Test func `The names that clients gave around New Year are one sprint`() {
        let plan = Self.plan(results: [
            Self.result("2020/26", month: 11), Self.result("2021/26", month: 0), Self.result("2021/0", month: 0),
            Self.result("2021/26", month: 11), Self.result("2019/0", month: 11),
        ])
        #expect(plan.past.map(\.span.label.description) == ["2019/26", "2020/26", "2021/26"])
        #expect(plan.past.map(\.tally.count) == [4, 12, 4])
        #expect(plan.lines.count == 3)
    }

    @Test func `Feedback without a text is left out, and a long one is cut`() {
        let long = String(repeating: "é", count: 2_001)
        let plan = Self.plan(results: [Self.result("2020/3", feedbacks: [" ok\u{0} ", "", "  \n", long])])
        let texts = plan.past.first?.feedback.map(\.text) ?? []
        #expect(texts.map(\.count) == [2, 2_000] && texts.first == "ok" && texts.last?.hasSuffix("é…") == true)
        #expect(
            plan.lines == [
                "happinesses 2020/3: feedbacks has 1 of more than 2000 characters. They are cut.",
                "happinesses 2020/3: feedbacks has 2 without a text. They are left out.",
            ])
    }

    @Test func `Votes in the running sprint are those under its own names`() {
        let plan = Self.plan(
            people: ["anna", "ben", "cleo"].map { Self.person($0, $0 + "@example.org") },
            results: [Self.result("2026/1", month: 0), Self.result("2025/26", month: 11)],
            votes: [
                ClassicDump.Vote(username: "anna", sprint: "2026/1"),
                ClassicDump.Vote(username: "ben", sprint: "2025/26"),
                ClassicDump.Vote(username: "nobody", sprint: "2026/1"),
            ])
        #expect(plan.running?.span.label.description == "2026/1" && plan.past.count == 1)
        #expect(plan.people.map(\.hasVoted) == [true, false, false])
    }
}
