import Domain
import Product

/// Who could find out how a member voted, and how one checks that.
///
/// It has nothing that changes with a ballot, and nothing about a person but the names of their own teams.
struct TrustPage: Page {
    static let template = "trust"

    let installation: [Fact]
    /// The team that the page speaks of; `nil` without a login, or without a team.
    let team: TeamTerms?
    /// Says for whom the observers are true.
    let scope: String
    let legend: [Legend]
    let observers: [Observer]
    let cheats: [Cheat]
    let notice = SitePath.privacyNotice

    /// A property of the installation.
    struct Fact: Sendable {
        let name: String
        let value: String
        /// Whether the value is for machines, such as a hash.
        var isCode = false
    }

    /// The rules of a team's running sprint.
    struct TeamTerms: Sendable {
        let name: String
        let rules: [String]
        /// The page of the team.
        let address: SitePath
        /// This page for the user's other teams.
        let others: [OtherTeam]
        let hasOthers: Bool
    }

    /// A link to this page for another team.
    struct OtherTeam: Sendable {
        let name: String
        let address: SitePath
    }

    /// The meaning of a colour.
    struct Legend: Sendable {
        /// Also the name of a class.
        let verdict: String
        let name: String
        let text: String
    }

    /// A row about an observer.
    struct Observer: Sendable {
        /// Also the name of a class.
        let verdict: String
        /// The colour in words.
        let verdictName: String
        let name: String
        let learns: String
        let check: String
        let ask: String
    }

    /// A way to cheat.
    struct Cheat: Sendable {
        let name: String
        let notice: String
        /// `nil` if no command shows it.
        let command: String?
        /// Rows of `make attack`, in English.
        let measuredBy: [String]
        let isMeasured: Bool
    }

    /// - Parameters:
    ///   - sprint: the team's running one; `nil` without a team.
    ///   - others: the user's other teams.
    init(
        _ installation: TrustInstallation, webAppHash: String, team: Team?, sprint: Sprint?, others: [Team],
        words: LocalizedTexts
    ) {
        self.installation = Self.facts(installation, webAppHash: webAppHash, words)
        self.team = team.flatMap { team in
            sprint.map { sprint in
                TeamTerms(
                    name: team.name, rules: Self.rules(of: sprint, in: team, words), address: .live(of: team.id),
                    others: others.map { OtherTeam(name: $0.name, address: .trust(of: $0.id)) },
                    hasOthers: !others.isEmpty)
            }
        }
        scope =
            self.team.map { words.text("trust.scopeTeam", ["team": $0.name]) } ?? words.text("trust.scopeStandard")
        legend = TrustVerdict.allCases.map { verdict in
            Legend(
                verdict: verdict.rawValue, name: words.text("trust.\(verdict.rawValue)"),
                text: words.text("trust.\(verdict.rawValue)Text"))
        }
        let situation = installation.situation(sprint)
        observers = TrustObserver.allCases.compactMap { observer in
            observer.finding(in: situation).map { finding in
                Observer(
                    verdict: finding.verdict.rawValue, verdictName: words.text("trust.\(finding.verdict.rawValue)"),
                    name: words.text("trust.\(observer.rawValue)"),
                    learns: words.text("trust.\(finding.sentence.rawValue)Learns"),
                    check: words.text("trust.\(observer.rawValue)Check"),
                    ask: words.text("trust.\(observer.contact.rawValue)"))
            }
        }
        cheats = TrustCheat.allCases.map { cheat in
            Cheat(
                name: words.text("cheats.\(cheat.rawValue)"), notice: words.text("cheats.\(cheat.rawValue)Notice"),
                command: cheat.command, measuredBy: cheat.measuredBy, isMeasured: !cheat.measuredBy.isEmpty)
        }
    }

    private static func facts(
        _ installation: TrustInstallation, webAppHash: String, _ words: LocalizedTexts
    ) -> [Fact] {
        [
            Fact(name: words.text("trust.address"), value: installation.address, isCode: true),
            Fact(
                name: words.text("trust.connection"),
                value: installation.usesHTTPS ? words.text("trust.https") : words.text("trust.noHTTPS")),
            Fact(name: words.text("trust.ballots"), value: words.text("trust.ballotsText")),
            Fact(
                name: words.text("trust.database"),
                value: installation.usesMongoDB ? words.text("trust.mongoDB") : words.text("trust.sqlite")),
            Fact(name: words.text("trust.kept"), value: words.text("trust.keptVotes")),
            Fact(name: words.text("trust.keptTexts"), value: words.keptFeedback(installation)),
            Fact(name: words.text("trust.version"), value: ProductVersion.current, isCode: true),
            Fact(name: words.text("trust.webApp"), value: webAppHash, isCode: true),
        ]
    }

    private static func rules(of sprint: Sprint, in team: Team, _ words: LocalizedTexts) -> [String] {
        let policy =
            switch sprint.policy {
            case .live:
                words.text("trust.policyLive", ["k": "\(sprint.threshold)", "twice": "\(2 * sprint.threshold)"])
            case .close: words.text("trust.policyClose")
            case .immediate: words.text("trust.policyImmediate")
            }
        let readers =
            switch sprint.feedbackReaders {
            case .team: words.text("vote.teamReads")
            case .leads: words.text("vote.leadsRead")
            }
        let ballots =
            switch sprint.ballots {
            case .any: words.text("trust.ballotsAny")
            case .sealed: words.text("trust.ballotsSealed")
            }
        // Under this policy the threshold has no effect.
        let threshold =
            sprint.policy == .immediate ? [] : [words.text("trust.threshold", ["k": "\(sprint.threshold)"])]
        let settings = team.settings
        // A small team's sprint has another policy than the team, which nobody has changed.
        let next = settings.policy.starting(with: team.memberCount, threshold: settings.threshold)
        let stays =
            settings.threshold == sprint.threshold && next == sprint.policy
            && settings.ballots == sprint.ballots && settings.feedbackReaders == sprint.feedbackReaders
        return threshold + [policy, ballots, readers] + (stays ? [] : [words.text("trust.nextSprint")])
    }
}

extension LocalizedTexts {
    /// How long feedback is kept here.
    fileprivate func keptFeedback(_ installation: TrustInstallation) -> String {
        installation.feedbackDays.map { text("trust.keptTextsDays", count: $0, ["days": number($0)]) }
            ?? text("trust.keptTextsForever")
    }
}
