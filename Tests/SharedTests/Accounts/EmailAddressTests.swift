import Domain
import Foundation
import Testing

@Suite struct EmailAddressTests {
    @Test(arguments: [
        "a@b.at", "a+b@x.at", "first.last@sub.example.org", "o'neil@example.org", "a@xn--bcher-kva.example",
        " padded@example.org ",
    ])
    func `Real-world addresses are accepted`(text: String) throws {
        #expect(try EmailAddress(text).text == text.trimmingCharacters(in: .whitespaces))
    }

    @Test(arguments: [
        "", "@", "a@", "@b.at", "a@b", "a@@b.at", "a b@c.at", "a@b..at", ".a@b.at", "a.@b.at", "a@-b.at",
        "a@b.at\nBcc: c@d.at",
        "a@b.at,c@d.at", "<a@b.at>", "\"a b\"@c.at", "a@[192.0.2.1]", "ä@b.at", "a@bücher.at",
        String(repeating: "x", count: 65) + "@b.at",
        "a@" + String(repeating: "x", count: 64) + ".at",
    ])
    func `Addresses that could reach someone else or nobody are refused`(text: String) {
        #expect(throws: AppError.self) { try EmailAddress(text) }
    }
}
