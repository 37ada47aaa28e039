package import Domain
import Foundation
package import Storage

/// Finds what a person may see: teams, people, sprints, actions and feedback, of all their teams.
///
/// It asks the services that show these things elsewhere, so it cannot find what they would reject. It reads the stores
/// again each time and keeps no index: a change of roles or rules applies at once.
package struct SearchService: Sendable {
    /// Sprints whose feedback is read at a time, from the latest back: about a year's.
    private static let sprintsAtATime = 26
    /// People and teams from which an admin's best matches are chosen.
    private static let administeredMatches = 100
    /// Characters of a feedback that are shown.
    private static let excerptLength = 120

    private let store: any Store
    private let teams: TeamService
    private let actions: ActionService
    private let publications: PublicationService

    /// - Parameters: the services that decide who sees what.
    package init(
        stores: Stores, teams: TeamService, actions: ActionService, publications: PublicationService
    ) {
        store = stores.rows
        self.teams = teams
        self.actions = actions
        self.publications = publications
    }

    /// The matches from which `SearchMatch.best` chooses.
    /// - Parameters:
    ///   - typed: the whole input.
    ///   - words: for the names of sprints, in the reader's language.
    ///   - feedbackPage: texts on a page of a sprint's feedback.
    /// - Throws: `AppError.unauthenticated` if the account was deleted.
    package func matches(
        _ typed: String, by principal: Principal, words: LocalizedTexts, feedbackPage: Int
    ) async throws -> [SearchMatch] {
        let terms = SearchTerms(typed)
        guard !terms.isEmpty else { return [] }
        guard let user = try await store.user(principal.userID) else { throw AppError.sessionEnded }
        let own = try await store.read { try $0.teams(of: user.id) }
        var matches: [SearchMatch] = []
        var histories: [(team: Team, membership: Membership, publications: [Publication])] = []
        for (team, role) in own {
            matches.add(.team(team.id, isMember: true), team.name, terms: terms)
            matches += try await members(of: team, terms: terms, by: principal) { person in
                if user.role == .admin { return .account }
                return role == .lead ? .memberList(team.id, name: person.name) : .board(team.id)
            }
            matches += try await actions(of: team, terms: terms, by: user.id)
            let publications = try await publications.publications(of: team.id, matching: .all)
            matches += Self.sprints(publications, of: team, terms: terms, words: words)
            let membership = Membership(teamID: team.id, userID: user.id, role: role)
            histories.append((team, membership, publications))
        }
        if user.role == .admin {
            let known = (users: matches.people, teams: Set(own.map(\.team.id)))
            matches += try await administered(typed, terms: terms, except: known)
        }
        for (team, membership, publications) in histories {
            let enough = SearchMatch.shown - matches.count { $0.rank <= .text }
            guard enough > 0 else { break }
            matches += try await feedback(
                publications, for: membership, of: team, terms: terms, words: words, enough: enough,
                page: feedbackPage)
        }
        return matches
    }

    /// - Parameter place: where the reader finds a person.
    private func members(
        of team: Team, terms: SearchTerms, by principal: Principal, place: (User) -> SearchMatch.PersonPlace
    ) async throws -> [SearchMatch] {
        var matches: [SearchMatch] = []
        var after: User.ID?
        repeat {
            // Pages by id: each page by name would sort the names of all.
            let page = try await teams.people(
                of: team.id, after: after, limit: TeamService.maximumMemberPageSize, by: principal.caller)
            for user in page.people.map(\.user) {
                matches.add(
                    .person(user.id, place(user)), user.shownName, detail: team.name, text: user.name, terms: terms)
            }
            after = page.nextAfter
        } while after != nil
        return zip(matches.map { UserName.folded($0.title) }, matches).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func actions(of team: Team, terms: SearchTerms, by userID: User.ID) async throws -> [SearchMatch] {
        let (actions, assignees) = try await actions.all(of: team.id, by: userID)
        var matches: [SearchMatch] = []
        for action in actions {
            let content = action.content
            let texts = [content.notes, content.quote, content.assignee.flatMap { assignees[$0]?.shownName }]
            matches.add(
                .action(action.id, team.id), content.title, detail: team.name,
                text: texts.compactMap(\.self).joined(separator: " "), terms: terms)
        }
        return matches
    }

    private static func sprints(
        _ publications: [Publication], of team: Team, terms: SearchTerms, words: LocalizedTexts
    ) -> [SearchMatch] {
        let names = SprintTexts(words: words, zone: team.settings.zone)
        var matches: [SearchMatch] = []
        for publication in publications.reversed() {
            let label = publication.sprint.label
            let title = names.datesWithYear(of: publication.sprint)
            let ranks = [terms.rank(title: label.description), terms.rank(title: title, text: label.description)]
            guard let rank = ranks.compactMap(\.self).min() else { continue }
            matches.append(SearchMatch(.sprint(label, team.id), title: title, detail: team.name, rank: rank))
        }
        return matches
    }

    /// Matches that an admin sees beyond their own teams: everyone's account, and every team.
    private func administered(
        _ typed: String, terms: SearchTerms, except own: (users: Set<User.ID>, teams: Set<Team.ID>)
    ) async throws -> [SearchMatch] {
        var matches: [SearchMatch] = []
        // First those in whom words begin with the search: they must not be missing after many others.
        var seen = own
        for search in [NameSearch(typed, atStart: true), NameSearch(typed)].compactMap(\.self) {
            let found = try await store.read {
                (
                    users: try $0.users(matching: search, after: nil, limit: Self.administeredMatches),
                    teams: try $0.teams(matching: search, after: nil, limit: Self.administeredMatches)
                )
            }
            for user in found.users where seen.users.insert(user.id).inserted {
                let text = "\(user.name) \(user.email) \(EmailAddress.readable(user.email))"
                matches.add(.person(user.id, .account), user.shownName, detail: user.email, text: text, terms: terms)
            }
            for team in found.teams where seen.teams.insert(team.id).inserted {
                matches.add(.team(team.id, isMember: false), team.name, terms: terms)
            }
        }
        return matches
    }

    /// The latest texts that match. Older ones are read only as long as there are too few.
    private func feedback(
        _ publications: [Publication], for membership: Membership, of team: Team, terms: SearchTerms,
        words: LocalizedTexts, enough: Int, page: Int
    ) async throws -> [SearchMatch] {
        let names = SprintTexts(words: words, zone: team.settings.zone)
        var rest = publications[...]
        var matches: [SearchMatch] = []
        while !rest.isEmpty, matches.count < enough {
            let batch = rest.suffix(Self.sprintsAtATime)
            rest = rest.dropLast(Self.sprintsAtATime)
            let texts = try await self.publications.feedback(in: Array(batch), for: membership)
            for publication in batch.reversed() {
                let sprint = publication.sprint
                let released = texts[sprint.start] ?? []
                for (place, feedback) in released.enumerated() {
                    let after = place < page ? nil : released[place - 1].id
                    guard let rank = terms.rank(title: "", text: feedback.text) else { continue }
                    matches.append(
                        SearchMatch(
                            .feedback(feedback.id, sprint.label, team.id, after: after),
                            title: terms.excerpt(of: feedback.text, length: Self.excerptLength),
                            detail: "\(names.datesWithYear(of: sprint)) · \(team.name)", rank: rank))
                }
            }
        }
        return matches
    }
}

extension [SearchMatch] {
    /// The people among them.
    fileprivate var people: Set<User.ID> {
        Set(
            compactMap {
                guard case .person(let user, _) = $0.target else { return nil }
                return user
            })
    }

    /// Appends a match if the title, or the text beside it, matches.
    fileprivate mutating func add(
        _ target: SearchMatch.Target, _ title: String, detail: String = "", text: String = "", terms: SearchTerms
    ) {
        guard let rank = terms.rank(title: title, text: text) else { return }
        append(SearchMatch(target, title: title, detail: detail, rank: rank))
    }
}
