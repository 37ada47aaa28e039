import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// A team's members, one page at a time.
@Suite struct MemberListContract {
    @Test(arguments: StoreUnderTest.all)
    func `Pages in order of the IDs have everybody once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let ids = try await stores.makeVoters(5, in: team).map(\.user.id).sorted()
            _ = try await stores.makeVoters(2, in: other)
            try await stores.transaction {
                try $0.setRole(.lead, insteadOf: .member, of: ids[2], in: team.id, by: .operator)
            }

            var found: [Membership] = []
            while true {
                let page = try await stores.read { [found] rows in
                    try rows.members(of: team.id, after: found.last?.userID, limit: 2)
                }
                guard !page.isEmpty else { break }
                #expect(page.count == (found.count == 4 ? 1 : 2))
                found += page
            }
            #expect(found.map(\.userID) == ids)
            #expect(found.map(\.role) == [.member, .member, .lead, .member, .member])
            #expect(found.allSatisfy { $0.teamID == team.id })
            #expect(try await stores.members(of: team.id) == found)
            #expect(try await stores.read { try $0.members(of: team.id, after: nil, limit: 0) }.isEmpty)
            #expect(try await stores.read { try $0.members(of: .random(), after: nil, limit: 2) }.isEmpty)

            // The next page begins after the last member, even if they have left.
            try await stores.remove(userID: ids[1], from: team.id)
            try await stores.remove(userID: ids[3], from: team.id)
            let rest = try await stores.read { try $0.members(of: team.id, after: ids[1], limit: 9) }
            #expect(rest.map(\.userID) == [ids[2], ids[4]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Pages in order of the shown names have everybody once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for (name, shown) in [
                ("zoe", nil), ("Bert", nil), ("carl", "BERT"), ("dora", "Ärmel"), ("anna", nil), ("emil", "bert"),
            ] as [(String, String?)] {
                try await stores.addMember(name, shownAs: shown, to: team)
            }
            _ = try await stores.makeVoters(2, in: try await stores.makeTeam())

            let found = try await stores.memberNames(of: team, pageSize: 2)
            #expect(found.first == "anna" && found.suffix(2) == ["zoe", "dora"])
            // Of the same name, in order of the ids.
            let ids = try await stores.members(of: team.id).map(\.userID)
            let berts = try await stores.read { try $0.users(ids) }.filter {
                ["Bert", "carl", "emil"].contains($0.name)
            }
            #expect(Array(found[1...3]) == berts.map(\.name))
            for size in [1, 4, 6, 50] {
                #expect(try await stores.memberNames(of: team, pageSize: size) == found, "\(size) on a page")
            }
            let all = try await stores.read { try $0.members(of: team.id, matching: nil, after: nil, limit: 50) }
            #expect(all.allSatisfy { $0.role == .member && $0.user.email.contains("@") })
            #expect(try await stores.read { try $0.members(of: team.id, matching: nil, after: nil, limit: 0) }.isEmpty)
            #expect(
                try await stores.read { try $0.members(of: .random(), matching: nil, after: nil, limit: 2) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member who leaves between two pages moves nobody`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var users: [User] = []
            for name in ["anna", "bert", "carl", "dora", "emil", "frida"] {
                users.append(try await stores.addMember(name, to: team))
            }
            let first = try await stores.read { try $0.members(of: team.id, matching: nil, after: nil, limit: 2) }
            #expect(first.map(\.user.name) == ["anna", "bert"])
            let position = MemberPosition(first[1].user)
            #expect(MemberPosition(position.description) == position)

            // The last one of the page, one of the next page, and one who is shown further up from now on.
            try await stores.remove(userID: users[1].id, from: team.id)
            try await stores.remove(userID: users[3].id, from: team.id)
            try await stores.update(id: users[5].id, UserUpdate(displayName: .set(try DisplayName("Carla"))))
            let next = try await stores.read { try $0.members(of: team.id, matching: nil, after: position, limit: 2) }
            #expect(next.map(\.user.name) == ["carl", "frida"])
            let rest = try await stores.read {
                try $0.members(of: team.id, matching: nil, after: MemberPosition(next[1].user), limit: 2)
            }
            #expect(rest.map(\.user.name) == ["emil"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Members are found anywhere in either name, without accents and case`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            for (name, shown) in [
                ("anna", nil), ("Anton", "Toni"), ("bert", "Ännchen"), ("carl", "ANDI"), ("a%", nil),
            ] as [(String, String?)] {
                try await stores.addMember(name, shownAs: shown, to: team)
            }
            try await stores.addMember("andrea", to: other)
            func found(_ search: String, pageSize: Int = 10) async throws -> [String] {
                try await stores.memberNames(of: team, matching: search, pageSize: pageSize)
            }
            for size in [1, 2, 10] {
                #expect(try await found("AN", pageSize: size) == ["carl", "anna", "Anton", "bert"])
            }
            #expect(try await found("toni") == ["Anton"])
            #expect(try await found("aennchen") == ["bert"])
            #expect(try await found("nto toni") == ["Anton"])
            #expect(try await found("nna") == ["anna"])
            // There are no wildcards, and no addresses.
            #expect(try await found("a%") == ["a%"])
            #expect(try await found("a_").isEmpty)
            let anna = try #require(try await stores.user(login: "anna"))
            #expect(try await found(anna.email).isEmpty)
        }
    }
}

extension Stores {
    /// Adds a user with these names to a team.
    @discardableResult
    fileprivate func addMember(_ name: String, shownAs shown: String? = nil, to team: Team) async throws -> User {
        let user = try await makeUser(name)
        if let shown { try await update(id: user.id, UserUpdate(displayName: .set(try DisplayName(shown)))) }
        try await add(Membership(teamID: team.id, userID: user.id))
        return user
    }

    /// The user names of all members who match, from pages of this size.
    fileprivate func memberNames(
        of team: Team, matching search: String? = nil, pageSize: Int
    ) async throws -> [String] {
        let search = search.flatMap { NameSearch($0) }
        var names: [String] = []
        var after: MemberPosition?
        while true {
            let page = try await read { [after] rows in
                try rows.members(of: team.id, matching: search, after: after, limit: pageSize)
            }
            guard let last = page.last else { return names }
            names += page.map(\.user.name)
            after = MemberPosition(last.user)
        }
    }
}
