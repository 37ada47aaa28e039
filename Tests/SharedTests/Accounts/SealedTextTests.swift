import Crypto
import Domain
import Foundation
import Testing

/// Data that a browser stores for us.
@Suite struct SealedTextTests {
    @Test func `A sealed text opens only unchanged and with the same secret`() throws {
        let secret = SecureBytes.random(count: 32)
        let sealed = SealedText(secret: .init(data: secret), for: .signOn)
        let text = try sealed.seal(Data("hello".utf8))
        #expect(sealed.open(text) == Data("hello".utf8))
        #expect(try sealed.seal(Data("hello".utf8)) != text)
        #expect(SealedText(secret: .init(size: .bits256), for: .signOn).open(text) == nil)
        #expect(SealedText(secret: .init(data: secret), for: .keptForm).open(text) == nil)
        for position in text.indices {
            var changed = text
            changed.replaceSubrange(position...position, with: text[position] == "A" ? "B" : "A")
            #expect(sealed.open(changed) == nil)
        }
        for other in ["", "A", "AAAA", String(text.dropLast(4))] { #expect(sealed.open(other) == nil) }
    }
}
