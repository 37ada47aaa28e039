import Crypto
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import ObliviousHTTP

@Suite struct ObliviousHTTPTests {
    private static let gateway = ObliviousGateway(privateKey: P256.KeyAgreement.PrivateKey())

    // MARK: Vectors

    /// RFC 9458 appendix A.
    private struct Example: Decodable {
        let privateKey, configuration, request, encapsulatedRequest: String
        let secret, responseNonce, response, encapsulatedResponse: String
    }

    @Test func `The example of RFC 9458 is opened and answered byte for byte`() throws {
        let example: Example = try vector("rfc9458-a")
        let listed = try Bytes(example.configuration)
        let configuration = try KeyConfiguration(list: [0, UInt8(listed.count)] + listed)
        let gateway = ObliviousGateway(
            privateKey: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Bytes(example.privateKey)),
            configuration: configuration)
        let (plain, answerKey) = try gateway.open(Bytes(example.encapsulatedRequest))
        #expect(plain == (try Bytes(example.request)))
        let (request, _) = try BinaryHTTP.decodeRequest(plain)
        #expect(request == HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
        #expect(answerKey.secret == (try Bytes(example.secret)))

        let response = BinaryHTTP.encode(HTTPResponse(status: .ok))
        // The RFC leaves out what has no bytes.
        #expect(response == (try Bytes(example.response)) + [0, 0, 0])
        let sealed = try answerKey.seal(try Bytes(example.response), nonce: try Bytes(example.responseNonce))
        #expect(sealed == (try Bytes(example.encapsulatedResponse)))
        #expect(try answerKey.open(sealed) == (try Bytes(example.response)))
    }

    /// RFC 9180 A.3.1.
    private struct HPKEVector: Decodable {
        struct Encryption: Decodable {
            let sequence: Int
            let aad, ct, pt: String
        }

        struct Export: Decodable {
            let exporter_context: String
            let L: Int
            let exported_value: String
        }

        let info, skRm, enc: String
        let encryptions: [Encryption]
        let exports: [Export]
    }

    @Test func `The library agrees with the vectors of RFC 9180 for our algorithms`() throws {
        let vector: HPKEVector = try vector("rfc9180-a3-1")
        var recipient = try HPKE.Recipient(
            privateKey: P256.KeyAgreement.PrivateKey(rawRepresentation: Bytes(vector.skRm)),
            ciphersuite: KeyConfiguration.Algorithms.p256.ciphersuite, info: Data(Bytes(vector.info)),
            encapsulatedKey: Data(Bytes(vector.enc)))
        for encryption in vector.encryptions.prefix(3) {
            let plain = try recipient.open(Data(Bytes(encryption.ct)), authenticating: Data(Bytes(encryption.aad)))
            #expect(Array(plain) == (try Bytes(encryption.pt)))
        }
        for export in vector.exports {
            let secret = try recipient.exportSecret(
                context: Data(Bytes(export.exporter_context)), outputByteCount: export.L)
            #expect(secret == SymmetricKey(data: try Bytes(export.exported_value)))
        }
    }

    // MARK: A client and a gateway

    @Test func `A client and a gateway understand each other`() throws {
        let configuration = try KeyConfiguration(list: Self.gateway.configuration.encoded)
        #expect(configuration == Self.gateway.configuration)
        let request = try ObliviousRequest(Array("question".utf8), for: configuration)
        let (plain, answerKey) = try Self.gateway.open(request.message)
        #expect(plain == Array("question".utf8))
        let answer = try answerKey.seal(Array("answer".utf8))
        #expect(try request.answerKey.open(answer) == Array("answer".utf8))
        #expect(try answerKey.seal(Array("answer".utf8)) != answer)
        let stored = try JSONDecoder().decode(AnswerKey.self, from: JSONEncoder().encode(request.answerKey))
        #expect(try stored.open(answer) == Array("answer".utf8))
    }

    @Test func `A message says nothing but its length and the key it is for`() throws {
        let messages = try (0..<2).map { _ in
            try ObliviousRequest(Array("question".utf8), for: Self.gateway.configuration).message
        }
        #expect(messages[0].count == 7 + 65 + 8 + 16)
        #expect(messages[0].prefix(7) == messages[1].prefix(7))
        #expect(messages[0].dropFirst(8) != messages[1].dropFirst(8))
    }

    @Test func `A changed message is not opened`() throws {
        let message = try ObliviousRequest(Array("question".utf8), for: Self.gateway.configuration).message
        for position in message.indices {
            var changed = message
            changed[position] ^= 1
            #expect(throws: ObliviousHTTPError.wrongKey) { try Self.gateway.open(changed) }
        }
        for length in 0..<72 {
            #expect(throws: ObliviousHTTPError.self) { try Self.gateway.open(message.prefix(length)) }
        }
        let other = ObliviousGateway(privateKey: P256.KeyAgreement.PrivateKey())
        #expect(throws: ObliviousHTTPError.wrongKey) { try other.open(message) }
    }

    @Test func `The answer to another request is not opened`() throws {
        let requests = try (0..<2).map { _ in try ObliviousRequest([1], for: Self.gateway.configuration) }
        let answer = try Self.gateway.open(requests[0].message).answerKey.seal([2])
        #expect(throws: ObliviousHTTPError.wrongKey) { try requests[1].answerKey.open(answer) }
        var changed = answer
        changed[20] ^= 1
        #expect(throws: ObliviousHTTPError.wrongKey) { try requests[0].answerKey.open(changed) }
        #expect(throws: ObliviousHTTPError.malformed) { try requests[0].answerKey.open(answer.prefix(31)) }
    }

    @Test(arguments: [
        [], [0], [0, 1, 1], [0, 3, 1, 0, 16],
        // A method of key exchange that nobody knows.
        [0, 5, 1, 0, 0x99, 1, 2],
        // P-256 with another cipher.
        [0, 74, 1, 0, 0x10] + [UInt8](repeating: 4, count: 65) + [0, 4, 0, 1, 0, 3],
    ])
    func `A list without a key for us is refused`(list: [UInt8]) {
        #expect(throws: ObliviousHTTPError.malformed) { try KeyConfiguration(list: list) }
    }

    @Test func `The first key for us is taken from a list`() throws {
        let list = [0, 5, 1, 0, 0x99, 1, 2] + Self.gateway.configuration.encoded
        #expect(try KeyConfiguration(list: list) == Self.gateway.configuration)
    }

    @Test func `A point that is not on the curve gets no request`() {
        let configuration = KeyConfiguration(
            id: 1, algorithms: .p256, publicKey: [4] + Array(repeating: 1, count: 64))
        #expect(throws: ObliviousHTTPError.malformed) { try ObliviousRequest([1], for: configuration) }
    }

    private func vector<Vector: Decodable>(_ name: String) throws -> Vector {
        try JSONDecoder().decode(
            Vector.self, from: Data(try Repository.text("Tests/Browser/vectors/\(name).json").utf8))
    }
}

/// Bytes from hexadecimal digits; white space is ignored.
/// - Throws: if the number of digits is odd, or one is not a digit.
func Bytes(_ hexadecimal: String) throws -> [UInt8] {
    Array(try Data(hexadecimal: hexadecimal.filter { !$0.isWhitespace }))
}
