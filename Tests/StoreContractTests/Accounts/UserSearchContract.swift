import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Finding people and teams by parts of their names.
@Suite struct UserSearchContract {
    @Test(arguments: StoreUnderTest.all)
    func `People are found anywhere in name or address, without accents and case`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for (name, email) in [
                ("Anna", "smith@example.org"), ("anton", "anton@example.org"), ("Bert", "An.other@example.org"),
                ("Hanna Müller", "h@müller.example"), ("Pat O’Brien", "p@example.net"), ("Straße 5", "s@example.net"),
                ("Łukasz", "l@example.net"), ("a%", "percent@example.net"),
            ] {
                try await stores.insert(User(name: UserName(name), email: EmailAddress(email)))
            }
            func found(_ text: String, after: String? = nil, limit: Int = 10) async throws -> [String] {
                let search = try #require(NameSearch(text))
                return try await stores.read { try $0.users(matching: search, after: after, limit: limit) }.map(\.name)
            }
            // By name, and Bert by address; no one twice.
            #expect(try await found("AN") == ["Anna", "anton", "Bert", "Hanna Müller"])
            #expect(try await found("an", after: "anna", limit: 2) == ["anton", "Bert"])
            #expect(try await found("nna") == ["Anna", "Hanna Müller"])
            #expect(try await found("anton@ex") == ["anton"])
            #expect(try await found(" Smith@") == ["Anna"])
            for text in ["muller", "Mueller", "mu\u{308}ller han", "h@müller.ex", "h@muller", "xn--mller-kva"] {
                #expect(try await found(text) == ["Hanna Müller"], "\(text)")
            }
            for text in ["o'brien", "O’BRIEN", "obrien", "pat brien"] {
                #expect(try await found(text) == ["Pat O’Brien"], "\(text)")
            }
            for text in ["strasse", "STRAẞE", "5 straße"] { #expect(try await found(text) == ["Straße 5"], "\(text)") }
            #expect(try await found("lukasz") == ["Łukasz"])
            #expect(try await found("anna anton").isEmpty)
            // There are no wildcards.
            #expect(try await found("a%") == ["a%"])
            for text in ["a_", ".*", "^anna$", "(anna|bert)", "\\w", "[a]", "$anna", "\""] {
                #expect(try await found(text).isEmpty, "\(text)")
            }
            // A new name is found from its first moment on.
            let anton = try #require(try await stores.user(login: "anton"))
            try await stores.update(id: anton.id, UserUpdate(displayName: .set(try DisplayName("Zoë"))))
            #expect(try await found("zoe") == ["anton"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Pages of a search join without a gap or a repeat`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var expected: [String] = []
            for number in 10..<40 {
                // Every third one matches by the address only, every fifth by both.
                let name = number % 3 == 0 ? "other\(number)" : "team\(number)"
                let email = number % 3 == 0 || number % 5 == 0 ? "team\(number)" : "mail\(number)"
                try await stores.insert(User(name: UserName(name), email: EmailAddress("\(email)@example.org")))
                expected.append(name)
            }
            _ = try await stores.makeUser("somebody else")
            let search = try #require(NameSearch("Team"))
            for size in [1, 7, 30, 100] {
                var names: [String] = []
                var page = try await stores.read { try $0.users(matching: search, after: nil, limit: size) }
                while let last = page.last {
                    names += page.map(\.name)
                    page = try await stores.read {
                        try $0.users(matching: search, after: UserName.folded(last.name), limit: size)
                    }
                }
                #expect(names == expected.sorted(), "pages of \(size)")
            }
            #expect(try await stores.read { try $0.users(matching: search, after: nil, limit: 0) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Teams are found anywhere in their name and by their IDs`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var teams: [Team] = []
            for name in ["Blue", "blue sky", "Black", "Red"] { teams.append(try await stores.makeTeam(name)) }
            func found(_ text: String?, after: String? = nil) async throws -> [String] {
                let search = text.flatMap { NameSearch($0) }
                return try await stores.read { try $0.teams(matching: search, after: after, limit: 2) }.map(\.name)
            }
            #expect(try await found("bl") == ["Black", "Blue"])
            #expect(try await found("bl", after: "blue") == ["blue sky"])
            #expect(try await found("blue") == ["Blue", "blue sky"])
            #expect(try await found("r", after: "a") == ["Red"])
            #expect(try await found("lùe SK") == ["blue sky"])
            #expect(try await found("x").isEmpty)
            #expect(try await found("") == ["Black", "Blue"])
            #expect(try await found(nil, after: "blue sky") == ["Red"])

            let ids = [teams[3].id, teams[0].id, .random(), teams[0].id]
            #expect(try await stores.read { try $0.teams(ids) } == [teams[0], teams[3]].sorted { $0.id < $1.id })
            #expect(try await stores.read { try $0.teams([]) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The teams of many people are counted at once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let users = [try await stores.makeUser(), try await stores.makeUser(), try await stores.makeUser()]
            for number in 0..<2 {
                let team = try await stores.makeTeam()
                for user in users.prefix(2 - number) {
                    try await stores.add(Membership(teamID: team.id, userID: user.id))
                }
            }
            let counts = try await stores.read { try $0.teamCounts(of: users.map(\.id) + [.random()]) }
            #expect(users.map { counts[$0.id] ?? 0 } == [2, 1, 0])
            #expect(try await stores.read { try $0.teamCounts(of: []) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of all admins who lose their role or access at once, one stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var admins: [User.ID] = []
            for _ in 0..<6 { admins.append(try await stores.makeAdmin().id) }
            let ids = admins
            let refusals = try await concurrently(ids.count) { number -> AppError.Reason? in
                let update = number % 2 == 0 ? UserUpdate(role: .member) : UserUpdate(isDisabled: true)
                do {
                    try await stores.update(id: ids[number], update)
                    return nil
                } catch let error as AppError {
                    return error.reason
                }
            }
            #expect(refusals.compactMap { $0 } == [.lastAdmin])
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }
}
