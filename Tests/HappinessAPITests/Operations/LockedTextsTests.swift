import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import Domain
@testable import HappinessAPI
@testable import Services

/// Statements about who can see what cannot be changed by the installation.
@Suite struct LockedTextsTests {
    /// The texts of an installation that has replaced every text it may change by a lie.
    private static func words(_ language: MailLocale, lying: Bool) throws -> LocalizedTexts {
        let catalog = try TextCatalog(resources: Repository.resources)
        if lying {
            let lies = try catalog.names(in: language).map { name -> OwnText in
                let key = TextKey(name, in: language)
                let original = try #require(catalog.original(of: key))
                let words = ["Nobody sees anything."] + TextRules.placeholders(of: original)
                return OwnText(key: key, text: words.joined(separator: " "))
            }
            catalog.show(lies, version: 1, of: catalog.beginReading())
        }
        return catalog.words(in: language)
    }

    /// One for each policy and each group of feedback readers.
    private static let sprints: [Sprint] = PublicationPolicy.allCases.flatMap { policy in
        Team.FeedbackReaders.allCases.map { readers in
            Sprint(
                teamID: .random(), start: TestTeam.firstMonday, end: TestTeam.firstMonday + 14 * TestTeam.day,
                closes: TestTeam.firstMonday + 14 * TestTeam.day, label: SprintLabel(year: 2026, number: 1),
                threshold: 3, policy: policy, feedbackReaders: readers)
        }
    }

    @Test(arguments: MailLocale.allCases)
    func `No custom text says what protects a vote`(language: MailLocale) throws {
        let (words, lies) = (try Self.words(language, lying: false), try Self.words(language, lying: true))
        #expect(lies.text("vote.send") == "Nobody sees anything.", "the capture works")
        for sprint in Self.sprints {
            let team = Team(name: "Blue")
            func rules(_ words: LocalizedTexts) -> [String] {
                BallotFields(sprint, team: team, words: words, now: sprint.start).rules
            }
            #expect(rules(lies) == rules(words))
        }
    }

    @Test(arguments: MailLocale.allCases)
    func `No custom text says why a result is withheld and whose votes are in it`(language: MailLocale) throws {
        let (words, lies) = (try Self.words(language, lying: false), try Self.words(language, lying: true))
        let answers = Array(repeating: try Happiness(tenths: 70), count: 6)
        for sprint in Self.sprints {
            var published = PublicationState.initial
            published.count(answers, policy: .immediate, threshold: 3)
            for (state, eligible) in [(PublicationState.initial, nil), (.initial, 9), (published, nil)] as [(_, Int?)] {
                let publication = Publication(
                    SprintRecord(sprint: sprint, state: state, eligible: eligible, joined: 1))
                for people in [1, 2, 4, 9] {
                    func protection(_ words: LocalizedTexts) -> [String] {
                        let result = ResultTexts(words: words, publication: publication, memberCount: people)
                        // It is preceded by the number of votes, which promises nothing.
                        guard let mean = PossibleMean(publication, memberCount: people) else {
                            return result.summary(nil).filter { $0 != words.text("live.noVoteYet") }
                        }
                        return Array(result.summary(mean).dropFirst())
                    }
                    #expect(protection(lies) == protection(words), "\(sprint.policy) \(people)")
                }
            }
        }
    }

    /// Otherwise an administrator who takes over an account could hide it.
    @Test(arguments: MailLocale.allCases)
    func `No custom text hides that an admin has set an address`(language: MailLocale) throws {
        let (words, lies) = (try Self.words(language, lying: false), try Self.words(language, lying: true))
        #expect(lies.text("email.new") == "Nobody sees anything.", "the capture works")
        #expect(lies.text("email.setOn", ["day": "x"]) == words.text("email.setOn", ["day": "x"]))
        #expect(lies.text("email.setOnHint") == words.text("email.setOnHint"))
    }

    /// Otherwise somebody who knows a password could keep its owner from changing it.
    @Test(arguments: MailLocale.allCases)
    func `No custom text hides that somebody else set a password`(language: MailLocale) throws {
        let (words, lies) = (try Self.words(language, lying: false), try Self.words(language, lying: true))
        #expect(lies.text("ownPassword.later") == "Nobody sees anything.", "the capture works")
        for key in ["ownPassword.text", "ownPassword.tag"] { #expect(lies.text(key) == words.text(key)) }
    }

    /// The template selects these texts itself.
    @Test func `The link to the vote says what the program says`() async throws {
        try await TestApp.with(files: ServerFiles(Repository.resources)) { app in
            let admin = try await app.token(of: try await app.makeUser("admin", role: .admin))
            for policy in PublicationPolicy.allCases {
                let team = try await app.makeTeam("\(policy)", settings: TeamSettings(policy: policy))
                let page = try await app.browser(of: team.lead.user).get(team.pagePath)
                let key = policy == .immediate ? "live.voteUnprotected" : "live.voteText"
                expectPage(page, saying: try Self.words(.english, lying: false).text(key))
                let response = try await app.put(
                    "/api/v1/admin/texts/en/\(key)", token: admin, json: #"{"text":"Nobody sees anything."}"#)
                expectRejection(response, 404)
            }
        }
    }

    @Test(arguments: MailLocale.allCases) func `Every promise is a text of the program`(language: MailLocale) throws {
        let catalog = try TextCatalog(resources: Repository.resources)
        #expect(LockedTexts.names.subtracting(catalog.names(in: language)).isEmpty)
        for name in LockedTexts.names { #expect(!TextRules.canChange(name)) }
    }
}
