import Crypto
import Foundation
import Shared
import Testing

/// Tokens that forms carry.
@Suite struct FormTokensTests {
    private static let tokens = FormTokens(secret: SymmetricKey(size: .bits256))

    @Test func aTokenIsTheSessionsOwn() {
        let session = Session.ID.random()
        let token = Self.tokens.token(of: session)
        #expect(Self.tokens.isGenuine(token, of: session))
        #expect(Self.tokens.token(of: session) == token, "the same for as long as the session")
        #expect(!Self.tokens.isGenuine(token, of: .random()))
        #expect(!token.contains(session.description))
    }

    @Test func nothingElseIsOne() {
        let session = Session.ID.random()
        let token = Self.tokens.token(of: session)
        for other in ["", " ", String(token.dropLast()), token + "A", token.uppercased(), session.description] {
            #expect(!Self.tokens.isGenuine(other, of: session))
        }
        let elsewhere = FormTokens(secret: SymmetricKey(size: .bits256))
        #expect(!elsewhere.isGenuine(token, of: session))
    }
}
