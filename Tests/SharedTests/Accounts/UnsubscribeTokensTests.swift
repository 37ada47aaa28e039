import Crypto
import Domain
import Foundation
import Testing

/// Tokens of the links that end mails.
@Suite struct UnsubscribeTokensTests {
    private static let tokens = UnsubscribeTokens(secret: SymmetricKey(size: .bits256))

    @Test(arguments: MailSubscription.allCases)
    func `A token names the user and the kind of mail`(subscription: MailSubscription) throws {
        let userID = User.ID.random()
        let token = Self.tokens.token(ending: subscription, of: userID)
        let parts = try #require(Self.tokens.parse(token))
        #expect(parts.subscription == subscription && parts.userID == userID)
        #expect(Self.tokens.parse("\t\(token)\r\n")?.userID == userID, "as pasted")
        #expect(Self.tokens.token(ending: subscription, of: userID) == token, "an old mail has the same link")
        let link = Self.tokens.link(publicURL: "https://x.example", ending: subscription, of: userID)
        #expect(link == "https://x.example/unsubscribe?token=\(token)")
        #expect(UnsubscribeLink(link) != nil)
    }

    @Test func `Nothing else is a token`() {
        let token = Self.tokens.token(ending: .reminders, of: .random())
        let parts = token.split(separator: ".")
        let others = [
            "", "..", String(token.dropLast()), token + "A", token + ".", token.uppercased(),
            "\(parts[0]).\(parts[1]).",
            token.replacing("reminders", with: "results"), "reminders.\(User.ID.random()).\(parts[2])",
        ]
        for other in others { #expect(Self.tokens.parse(other) == nil, "\(other)") }
        #expect(UnsubscribeTokens(secret: SymmetricKey(size: .bits256)).parse(token) == nil)
    }
}
