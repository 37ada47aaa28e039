import Crypto
import Domain
import Foundation
import TestSupport
import Testing

@testable import Push

@Suite struct WebPushEncryptionTests {
    /// RFC 8291 §5 and Appendix A.
    private enum Example {
        static let text = "When I grow up, I want to be a watermelon"
        static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let receiverKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let receiverPoint =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let authenticationSecret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PB"
            + "ru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

        static func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](base64URL: text)) }

        static func receiver() throws -> WebPushReceiver {
            try WebPushReceiver(
                privateKey: bytes(receiverKey), authenticationSecret: bytes(authenticationSecret))
        }
    }

    @Test func `The example of RFC 8291 is reproduced`() throws {
        let body = try WebPushEncryption.encrypt(
            Array(Example.text.utf8), paddedTo: 0,
            for: WebPushSubscription(
                endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
                publicKey: Example.bytes(Example.receiverPoint),
                authenticationSecret: Example.bytes(Example.authenticationSecret)),
            sender: P256.KeyAgreement.PrivateKey(rawRepresentation: Example.bytes(Example.senderKey)),
            salt: Example.bytes(Example.salt))
        #expect(body.base64URL == Example.body)
    }

    @Test func `The example of RFC 8188 is reproduced`() throws {
        let body = try EncryptedContent.seal(
            Array("I am the walrus".utf8),
            keyingMaterial: SymmetricKey(data: Example.bytes("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: Example.bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
        #expect(body.base64URL == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test func `The tests' browser reads the example of RFC 8291`() throws {
        let text = try Example.receiver().open(Example.bytes(Example.body))
        #expect(String(decoding: text, as: UTF8.self) == Example.text)
    }

    /// RFC 8188 §3.1 and, with two records and padding, §3.2.
    @Test(arguments: [
        ("yqdlZ-tYemfogSmv7Ws5PQ", "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"),
        (
            "BO3ZVPxUlnLORbVGMpbT1Q",
            "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA"
        ),
    ])
    func `The tests' browser reads the examples of RFC 8188`(key: String, body: String) throws {
        let text = try WebPushReceiver.open(Example.bytes(body), keyingMaterial: Example.bytes(key))
        #expect(String(decoding: text, as: UTF8.self) == "I am the walrus")
    }

    @Test(arguments: [(0, 2_151), (1, 2_151), (2_048, 2_151), (2_049, 4_096), (3_993, 4_096)])
    func `A body reveals nothing of an ordinary text's length`(length: Int, wire: Int) throws {
        let receiver = WebPushReceiver()
        let text = [UInt8](repeating: 7, count: length)
        let body = try WebPushEncryption.encrypt(text, for: receiver.subscription(endpoint: ""))
        #expect(body.count == wire)
        #expect(try receiver.open(body) == text)
    }

    @Test func `No two bodies of a text are alike`() throws {
        let subscription = WebPushReceiver().subscription(endpoint: "")
        let bodies = try (0..<10).map { _ in try WebPushEncryption.encrypt([1, 2, 3], for: subscription) }
        #expect(Set(bodies.map { Array($0.prefix(16)) }).count == 10)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 10)
    }

    @Test func `A body that was changed cannot be read`() throws {
        let receiver = WebPushReceiver()
        var body = try WebPushEncryption.encrypt([1, 2, 3], for: receiver.subscription(endpoint: ""))
        body[100] ^= 1
        let changed = body
        #expect(throws: (any Error).self) { try receiver.open(changed) }
    }

    @Test func `Another browser cannot read a body`() throws {
        let body = try WebPushEncryption.encrypt([1], for: WebPushReceiver().subscription(endpoint: ""))
        #expect(throws: (any Error).self) { try WebPushReceiver().open(body) }
    }
}
