import Domain
import Foundation
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// The sentences about how certain a result is, for pages and mails.
@Suite struct ResultTextsTests {
    /// A sprint with these votes, in tenths, one after the other.
    /// - Parameters:
    ///   - eligible: members at the close; `nil` leaves it open.
    ///   - raised: the threshold to which it is raised before the last vote.
    private static func sprint(
        _ votes: [Int], eligible: Int? = nil, policy: PublicationPolicy = .live, raised: Int? = nil
    ) throws -> Publication {
        var state = PublicationState.initial
        for (index, tenths) in votes.enumerated() {
            let threshold = index == votes.count - 1 ? raised ?? 3 : 3
            state.count([try Happiness(tenths: tenths)], policy: policy, threshold: threshold)
        }
        if eligible != nil { state.close(policy: policy, threshold: raised ?? 3) }
        let end = TestTeam.firstMonday + 14 * TestTeam.day
        let sprint = Sprint(
            teamID: .random(), start: TestTeam.firstMonday, end: end, closes: end,
            label: SprintLabel(year: 2026, number: 1), threshold: raised ?? 3, policy: policy)
        return Publication(SprintRecord(sprint: sprint, state: state, eligible: eligible))
    }

    /// The first sentence about the value, and the one about the answers that are not in it, if there are any.
    private static func sentences(_ publication: Publication, _ language: MailLocale) throws -> [String] {
        let texts = ResultTexts(words: try .original(in: language), publication: publication, memberCount: 9)
        let possible = PossibleMean(publication, memberCount: 9)
        let range = possible.flatMap { $0.missing > 0 ? texts.range($0) : nil }
        return Array(texts.summary(possible).prefix(1)) + [range].compactMap(\.self)
    }

    /// Votes of 5.0 in a sprint of nine members, and what is said when it is over.
    @Test(arguments: [
        (9, ["Everyone answered."], ["Alle haben geantwortet."]),
        (
            8,
            [
                "Based on 8 of 9 answers.",
                "1 of 9 answers isn’t in this value. With it, the value could have been anywhere from 4.4 to 5.6.",
            ],
            [
                "Enthalten sind 8 von 9 Antworten.",
                "1 von 9 Antworten ist nicht enthalten. Mit ihr hätte der Wert zwischen 4,4 und 5,6 liegen können.",
            ]
        ),
        (
            7,
            [
                "Based on 7 of 9 answers.",
                "2 of 9 answers aren’t in this value. With them, it could have been anywhere from 3.8 to 6.2.",
            ],
            [
                "Enthalten sind 7 von 9 Antworten.",
                "2 von 9 Antworten sind nicht enthalten. Mit ihnen hätte der Wert zwischen 3,8 und 6,2 liegen können.",
            ]
        ),
        (
            0, ["Fewer than 3 people voted, so no result is shown. That protects the people who did vote."],
            ["Weniger als 3 haben abgestimmt, deshalb gibt es kein Ergebnis. Das schützt alle, die abgestimmt haben."]
        ),
    ])
    func `A closed sprint says how many answers are in its value`(votes: Int, english: [String], german: [String])
        throws
    {
        let sprint = try Self.sprint(Array(repeating: 50, count: votes), eligible: 9)
        #expect(try Self.sentences(sprint, .english) == english)
        #expect(try Self.sentences(sprint, .german) == german)
    }

    @Test func `Without protection, a sprint without votes says that there was none`() throws {
        let nobody = try Self.sprint([], eligible: 9, policy: .immediate)
        #expect(try Self.sentences(nobody, .english) == ["No one voted in this sprint."])
        #expect(try Self.sentences(nobody, .german) == ["In diesem Sprint hat niemand abgestimmt."])
        let one = try Self.sprint([50], eligible: 9, policy: .immediate)
        #expect(try Self.sentences(one, .english).first == "Based on 1 of 9 answers.")
        #expect(try Self.sentences(one, .german).first == "Enthalten ist 1 von 9 Antworten.")
    }

    /// All nine have voted, but someone is invited, so it is still open; and a raised threshold keeps votes back for good.
    @Test(arguments: MailLocale.allCases)
    func `Answers that are given but not published are not called missing`(language: MailLocale) throws {
        let open = try Self.sprint(Array(repeating: 50, count: 9))
        let kept = try Self.sprint(Array(repeating: 50, count: 7), eligible: 7, raised: 5)
        #expect(open.votes == 6 && kept.votes == 3)
        for sprint in [open, kept] {
            let text = try Self.sentences(sprint, language).joined(separator: " ")
            #expect(text.contains(language == .german ? " nicht enthalten" : " in this value"))
            for word in ["missing", "people", "didn’t", "fehlen", "geantwortet"] {
                #expect(!text.contains(word), "\(text)")
            }
        }
    }

    private static func comparison(
        _ now: Publication, _ before: Publication, _ language: MailLocale, _ name: ResultTexts.Previous
    ) throws -> String? {
        let texts = ResultTexts(words: try .original(in: language), publication: now, memberCount: 9)
        let possible = try #require(PossibleMean(now, memberCount: 9))
        return texts.comparison(of: possible, with: before, called: name)
    }

    /// How many of nine vote 9.0 after a sprint in which how many of nine voted 1.0.
    @Test(arguments: [(9, 9, false), (9, 8, true), (8, 9, true), (8, 8, true)])
    func `Answers outside two values are mentioned only if there are some`(now: Int, before: Int, areMentioned: Bool)
        throws
    {
        let high = try Self.sprint(Array(repeating: 90, count: now), eligible: 9)
        let low = try Self.sprint(Array(repeating: 10, count: before), eligible: 9)
        for name in [ResultTexts.Previous.last, .before] {
            for (publication, other, start) in [(high, low, "That’s more"), (low, high, "That’s less")] {
                let sentence = try #require(try Self.comparison(publication, other, .english, name))
                #expect(sentence.hasPrefix(start) && sentence.contains("aren’t in the two values") == areMentioned)
            }
            let german = try #require(try Self.comparison(high, low, .german, name))
            #expect(german.hasPrefix("Das ist mehr") && german.contains("in den beiden Werten fehlen") == areMentioned)
        }
    }

    @Test func `During its grace period, the sprint before is not called complete`() throws {
        let before = try Self.sprint(Array(repeating: 20, count: 6))
        #expect(!before.isClosed && before.votes == 3)
        let now = try Self.sprint(Array(repeating: 90, count: 9), eligible: 9)
        let sentence = try #require(try Self.comparison(now, before, .english, .last))
        #expect(sentence.hasPrefix("That’s more than last sprint (2.0).") && sentence.contains("aren’t in the two"))
    }

    /// The line for people without statistics: certain by the missing answers, probable by a test of distributions.
    @Test func `One line says by how much a value changed, and whether that may be chance`() throws {
        func line(_ now: Publication, _ before: Publication, _ language: MailLocale = .english) throws -> String? {
            let texts = ResultTexts(words: try .original(in: language), publication: now, memberCount: 9)
            return texts.change(of: try #require(PossibleMean(now, memberCount: 9)), since: before)
        }
        let high = try Self.sprint(Array(repeating: 80, count: 9), eligible: 9)
        let low = try Self.sprint(Array(repeating: 71, count: 9), eligible: 9)
        #expect(try line(low, high) == "Down by 0.9 (8.0 before), and that’s certain.")
        #expect(try line(high, low, .german) == "0,9 mehr als davor (7,1), und das ist sicher.")
        #expect(try line(high, high) == "The same as before: 8.0.")
        let some = try Self.sprint(Array(repeating: 70, count: 6), eligible: 9)
        #expect(try line(some, low) == "No clear change yet (7.1 before).")
        let answers = [30, 40, 50, 30, 40, 50, 30, 40]
        let probable = try Self.sprint(answers.map { $0 + 40 }, eligible: 12, policy: .immediate)
        let before = try Self.sprint(answers, eligible: 12, policy: .immediate)
        #expect(try line(probable, before) == "Up by 4.0 (3.9 before), and that’s probably not chance.")
    }

    @Test func `A difference that is rounded away is not called one`() throws {
        let before = try Self.sprint(Array(repeating: 70, count: 5), eligible: 5)
        let now = try Self.sprint([70, 70, 70, 70, 71], eligible: 5)
        #expect(try Self.comparison(now, before, .english, .last) == "Last sprint it was 7.0, too.")
        #expect(try Self.comparison(now, before, .german, .before) == "Im Sprint davor waren es ebenfalls 7,0.")
    }

    /// What a p-value is about: how clearly something differs. The number of comparisons in one direction has another.
    @Test(arguments: MailLocale.allCases)
    func `A sentence about chance has no other count of comparisons`(language: MailLocale) throws {
        let allowed: Set<String> = ["times", "value", "sprints", "size", "least", "most"]
        let texts = try LocalizedTexts.original(in: language).sections.values.flatMap(\.values)
            .filter { $0.contains("{times}") }
        #expect(texts.count == 8)
        for text in texts {
            let places = Set(text.matches(of: /\{(\w+)\}/).map { String($0.output.1) })
            #expect(places.isSubset(of: allowed), "\(text)")
            #expect(text.contains(language == .german ? " so deutlich" : " this clear"), "\(text)")
        }
    }
}
