import Domain

/// What an observer can find out about a vote, as a colour. Pages show the word beside it.
enum TrustVerdict: String, CaseIterable, Comparable, Sendable {
    /// Nothing about a single vote beyond the result that the whole team sees.
    case green
    /// Something, under the circumstances that the sentence names, or by an act that others can notice.
    case amber
    /// What single people voted, or some of them.
    case red

    /// Green is the lowest.
    static func < (left: Self, right: Self) -> Bool {
        let order: [Self] = [.green, .amber, .red]
        return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
    }
}

/// What the verdicts depend on: the rules of a team's sprint, and the installation.
struct TrustSituation: Sendable {
    /// The sprint's, or the one of new teams.
    var policy = PublicationPolicy.live
    /// The sprint's, or the one of new teams.
    var ballots = Team.AcceptedBallots.any
    /// Whether the database is MongoDB, and not a file of SQLite.
    var usesMongoDB: Bool
    /// Whether `PUBLIC_URL` begins with https.
    var usesHTTPS: Bool
    /// Whether people may log in through an OpenID provider.
    var hasLoginProvider: Bool
}

/// Those who may try to find out how a member voted, in the order of `docs/threat-model.md`: a test compares both. The
/// raw values are keys of texts.
enum TrustObserver: String, CaseIterable, Sendable {
    case member, lead, administrator, outsiders, dump, files, network, mails
    case operatorOfServer, databaseAdministrator, device

    /// The heading of its section in `docs/threat-model.md`.
    var heading: String {
        switch self {
        case .member: "A member of the team"
        case .lead: "A lead"
        case .administrator: "An administrator without shell"
        case .outsiders: "Other users, and outsiders"
        case .dump: "A reader of a database dump (backup, stolen disk)"
        case .files: "A reader of the database's files"
        case .network: "A reader of logs, metrics, proxies or the network"
        case .mails: "Observers of reminders and mails"
        case .operatorOfServer: "The operator, with shell and all secrets"
        case .databaseAdministrator: "A database administrator without `BALLOT_SECRET`"
        case .device: "Someone with another person's token, screen or phone"
        }
    }

    /// What the observer can find out; `nil` if there is no such observer in this situation.
    func finding(in situation: TrustSituation) -> Finding? {
        switch self {
        case .member:
            switch situation.policy {
            case .live: Finding(.amber, .memberLive)
            case .close: Finding(.green, .memberClose)
            case .immediate: Finding(.red, .memberImmediate)
            }
        case .lead:
            // Whoever may invite people can invent some.
            situation.policy == .immediate ? Finding(.red, .leadImmediate) : Finding(.amber, .leadProtected)
        case .administrator: Finding(.amber, .administrator)
        case .outsiders:
            if situation.policy == .immediate {
                Finding(.amber, .outsidersImmediate)
            } else {
                situation.hasLoginProvider ? Finding(.amber, .outsidersProvider) : Finding(.green, .outsiders)
            }
        case .dump: Finding(.red, .dump)
        case .files: Finding(.red, situation.usesMongoDB ? .filesMongoDB : .filesSQLite)
        case .network: situation.usesHTTPS ? Finding(.amber, .network) : Finding(.red, .networkPlain)
        case .mails: Finding(.amber, .mails)
        case .operatorOfServer: Finding(.red, situation.ballots == .sealed ? .operatorSealed : .operatorAny)
        case .databaseAdministrator:
            // SQLite has no server, and so nobody who only administers it.
            situation.usesMongoDB ? Finding(.red, situation.ballots == .sealed ? .databaseSealed : .databaseAny) : nil
        case .device: Finding(.amber, .device)
        }
    }

    /// Whom to ask about this observer.
    var contact: Contact {
        switch self {
        case .member, .outsiders: .askTeam
        case .lead: .askLead
        case .administrator, .device: .askAdministrator
        case .dump, .files, .network, .mails, .operatorOfServer, .databaseAdministrator: .askOperator
        }
    }

    /// A verdict and its sentence.
    struct Finding: Equatable, Sendable {
        let verdict: TrustVerdict
        let sentence: Sentence

        init(_ verdict: TrustVerdict, _ sentence: Sentence) {
            self.verdict = verdict
            self.sentence = sentence
        }
    }

    /// The raw values, followed by `Learns`, are keys of texts.
    enum Sentence: String, CaseIterable, Sendable {
        case memberLive, memberClose, memberImmediate, leadProtected, leadImmediate, administrator
        case outsiders, outsidersImmediate, outsidersProvider, dump, filesSQLite, filesMongoDB, network, networkPlain
        case mails, operatorAny, operatorSealed, databaseAny, databaseSealed, device
    }

    /// The raw values are keys of texts.
    enum Contact: String, CaseIterable, Sendable {
        case askTeam, askLead, askAdministrator, askOperator
    }
}

/// A way in which those who run an installation could cheat. `docs/how-we-could-cheat.md` has the same rows: a test
/// compares both. The raw values are keys of texts.
enum TrustCheat: String, CaseIterable, Sendable {
    case secondKey, otherScript, inventedMembers, droppedBallot, otherList, watchingTimes, wrongBuild

    /// What shows it; `nil` if no command does.
    var command: String? {
        switch self {
        case .secondKey: "happiness key DIGITS"
        case .otherScript, .wrongBuild: "happiness verify-site URL --hashes FILE"
        case .inventedMembers: nil
        case .droppedBallot, .otherList: "happiness verify"
        case .watchingTimes: "happiness paper"
        }
    }

    /// The rows of `make attack` that measure it, as `docs/attacks.json` names them; empty if none does.
    var measuredBy: [String] {
        switch self {
        case .secondKey:
            [
                "gives one person another ballot key than at the first visit, also after a log-out",
                "gives each person a ballot key of their own from the start",
            ]
        case .otherScript, .inventedMembers, .wrongBuild: []
        case .droppedBallot:
            ["drops a ballot after it said that it is counted", "changes the value of a ballot"]
        case .otherList: ["shows each member another list, made up around their own vote"]
        case .watchingTimes: ["Operator who watches"]
        }
    }
}
