import Crypto
import Domain
import Foundation
import TestSupport
import Testing

/// How members are assigned to the sides of an experiment.
@Suite struct ExperimentSidesTests {
    private let sides = ExperimentSides(secret: TestTeam.secret)

    @Test func `A person is on the same side every time`() {
        let experiment = ReminderExperiment.ID.random()
        for _ in 0..<200 {
            let user = User.ID.random()
            let again = ExperimentSides(secret: TestTeam.secret)
            #expect(sides.side(of: user, in: experiment) == again.side(of: user, in: experiment))
        }
    }

    /// Fixed ids, so that the test cannot fail by chance.
    @Test func `About half of many people are on each side`() throws {
        var generator = SeededGenerator(seed: 1)
        let experiment = try Self.id(&generator, as: ReminderExperiment.self)
        let count = 10_000
        let a = try (0..<count).count { _ in
            sides.side(of: try Self.id(&generator, as: User.self), in: experiment) == .a
        }
        #expect(abs(Double(a) / Double(count) - 0.5) < 0.015)
    }

    @Test func `The side of one experiment says nothing about the next one's`() throws {
        var generator = SeededGenerator(seed: 2)
        let one = try Self.id(&generator, as: ReminderExperiment.self)
        let other = try Self.id(&generator, as: ReminderExperiment.self)
        let same = try (0..<2_000).count { _ in
            let user = try Self.id(&generator, as: User.self)
            return sides.side(of: user, in: one) == sides.side(of: user, in: other)
        }
        #expect((900...1_100).contains(same))
    }

    @Test func `With another secret, the sides differ`() throws {
        var generator = SeededGenerator(seed: 3)
        let experiment = try Self.id(&generator, as: ReminderExperiment.self)
        let guess = ExperimentSides(secret: BallotSecret(key: SymmetricKey(data: Data(repeating: 8, count: 32))))
        let same = try (0..<2_000).count { _ in
            let user = try Self.id(&generator, as: User.self)
            return sides.side(of: user, in: experiment) == guess.side(of: user, in: experiment)
        }
        #expect((900...1_100).contains(same))
    }

    @Test func `A mark tells neither the side nor the person of another sprint`() throws {
        var generator = SeededGenerator(seed: 4)
        let experiment = try Self.id(&generator, as: ReminderExperiment.self)
        let sprint = ExperimentSprint(experimentID: experiment, start: TestTeam.firstMonday)
        let next = ExperimentSprint(experimentID: experiment, start: TestTeam.firstMonday + 14 * TestTeam.day)
        let users = try (0..<2_000).map { _ in try Self.id(&generator, as: User.self) }
        let marks = users.map { sides.mark(of: $0, in: sprint) }
        #expect(Set(marks).count == marks.count)
        #expect(Set(marks).isDisjoint(with: users.map { sides.mark(of: $0, in: next) }))
        let agreeing = zip(users, marks).count { user, mark in
            (mark >> 63 == 0) == (sides.side(of: user, in: experiment) == .a)
        }
        #expect((900...1_100).contains(agreeing))
    }

    @Test func `Marks are read as they were written`() {
        for values in [[], [0], [.max, 1, 1 << 63]] as [Set<UInt64>] {
            #expect(MemberMarks(bytes: MemberMarks(values).bytes).values == values)
        }
        #expect(MemberMarks(bytes: [1, 2, 3]).values.isEmpty)
    }

    private static func id<Entity>(
        _ generator: inout SeededGenerator, as _: Entity.Type
    ) throws -> Identifier<Entity> {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try #require(Identifier<Entity>(bytes.hexadecimal))
    }
}
