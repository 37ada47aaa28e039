import Crypto
import Domain
import Foundation
import TestSupport
import Testing

/// The random part of the address of a count.
@Suite struct CountTokenTests {
    private static let team = Team.ID.random()
    private static let sprint = Sprint.Key(teamID: team, start: TestTeam.firstMonday)

    @Test func `It follows from secret, team and sprint, and from nothing else`() {
        let token = CountToken(secret: TestTeam.secret, sprint: Self.sprint)
        // As after a restore.
        let copy = Sprint.Key(teamID: Self.team, start: TestTeam.firstMonday)
        #expect(CountToken(secret: TestTeam.secret, sprint: copy) == token)
        let others = [
            CountToken(
                secret: BallotSecret(key: SymmetricKey(data: Array(repeating: UInt8(8), count: 32))),
                sprint: Self.sprint),
            CountToken(
                secret: TestTeam.secret, sprint: Sprint.Key(teamID: .random(), start: TestTeam.firstMonday)),
            CountToken(
                secret: TestTeam.secret,
                sprint: Sprint.Key(teamID: Self.team, start: TestTeam.firstMonday + TestTeam.day)),
        ]
        #expect(Set(others + [token]).count == 4)
        #expect(others.allSatisfy { !token.matches($0.description) })
    }

    @Test func `Only its one spelling matches`() {
        let token = CountToken(secret: TestTeam.secret, sprint: Self.sprint)
        let text = token.description
        #expect(text.count == 22 && token.matches(text))
        for other in ["", "?", String(text.dropLast()), text + "A", text + "=", " " + text, text.lowercased() + "_"] {
            #expect(!token.matches(other), "\(other)")
        }
        // The unused bits of the last digit are not another spelling.
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let start = String(text.dropLast())
        #expect(digits.count(where: { token.matches(start + String($0)) }) == 1)
    }
}
