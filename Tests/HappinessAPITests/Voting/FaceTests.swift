import Foundation
import Testing

@testable import HappinessAPI

/// The drawing whose poses `face.js` uses.
@Suite struct FaceTests {
    @Test func `Every pose has as many numbers as the next`() {
        let poses = Face(7).poses.split(separator: "|").map { $0.split(separator: ";").map(String.init) }
        #expect(poses.count == 5)
        for part in 0..<5 {
            // All poses of a part differ only in their numbers; otherwise the numbers could not be interpolated.
            let patterns = Set(poses.map { $0[part].replacing(/-?\d+(?:\.\d+)?/, with: "#") })
            #expect(patterns.count == 1)
        }
    }

    @Test(arguments: zip([0.0, 2.5, 5, 7.5, 10], 0...4))
    func `A pose is drawn as it is`(happiness: Double, index: Int) {
        let face = Face(happiness)
        let pose = face.poses.split(separator: "|")[index].split(separator: ";").map(String.init)
        #expect([face.fill, face.cheeks, face.brows, face.eyes, face.mouth] == pose)
    }

    @Test func `The mouth rises with the value`() throws {
        let corners = try stride(from: 0.0, through: 10, by: 0.5).map { value in
            let match = try #require(Face(value).mouth.firstMatch(of: /^M[0-9.]+ ([0-9.]+)/))
            return try #require(Double(match.output.1))
        }
        #expect(zip(corners, corners.dropFirst()).allSatisfy { $0 > $1 })
    }

    @Test func `Without a value, it sleeps`() {
        #expect(Face(nil).isAsleep && Face(nil).happiness == nil)
        #expect(!Face(0).isAsleep)
    }
}
