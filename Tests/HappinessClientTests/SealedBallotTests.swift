import Foundation
import HappinessClient
import TestSupport
import Testing

/// The bytes of a sealed ballot, which are those of the vote page: `test_sealed_ballot.py` reads the same vectors.
@Suite struct SealedBallotTests {
    private struct Vectors: Decodable {
        let key: String
        let paper: String
        let randomness: String
        let signature: String
        let rest: String
        let restWithoutRandomness: String
        let vectors: [Vector]
    }

    private struct Vector: Decodable {
        let name: String
        let happiness: Double
        let feedback: String?
        let times: Int
        let hasRandomness: Bool
        let start: String
        let length: Int
    }

    @Test func `A ballot has the same bytes as on the vote page`() throws {
        let file = try JSONDecoder().decode(
            Vectors.self, from: Data(try Repository.text("Tests/Browser/vectors/sealed-ballots.json").utf8))
        #expect(file.vectors.count >= 14)
        for vector in file.vectors {
            let text = vector.feedback.map { String(repeating: $0, count: vector.times) }
            let body = SealedBallot(
                key: file.key, paper: file.paper, signature: file.signature,
                randomness: vector.hasRandomness ? file.randomness : nil, happiness: vector.happiness, feedback: text
            ).body
            let start =
                vector.times == 1
                ? vector.start : vector.start.replacing(vector.feedback ?? "", with: text ?? "", maxReplacements: 1)
            let json = start + (vector.hasRandomness ? file.rest : file.restWithoutRandomness)
            let blanks = String(repeating: " ", count: vector.length - json.utf8.count)
            #expect(body == Data((json + blanks).utf8), "\(vector.name)")
        }
    }
}
