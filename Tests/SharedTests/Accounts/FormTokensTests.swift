import Crypto
import Domain
import Foundation
import Testing

/// Tokens in forms.
@Suite struct FormTokensTests {
    private static let tokens = FormTokens(secret: SymmetricKey(size: .bits256))

    @Test func `A token is the session's own`() {
        let principal = Principal(userID: .random(), sessionID: .random())
        let token = Self.tokens.token(of: principal)
        #expect(Self.tokens.isGenuine(token, of: principal))
        #expect(Self.tokens.token(of: principal) == token, "the same for as long as the session")
        #expect(!Self.tokens.isGenuine(token, of: Principal(userID: principal.userID, sessionID: .random())))
        #expect(!Self.tokens.isGenuine(token, of: Principal(userID: .random(), sessionID: principal.sessionID)))
        #expect(!token.contains(principal.sessionID.description) && !token.contains(principal.userID.description))
    }

    @Test func `Nothing else is a token`() {
        let principal = Principal(userID: .random(), sessionID: .random())
        let token = Self.tokens.token(of: principal)
        let others = [
            "", " ", String(token.dropLast()), token + "A", token.uppercased(), principal.sessionID.description,
        ]
        for other in others {
            #expect(!Self.tokens.isGenuine(other, of: principal))
        }
        let elsewhere = FormTokens(secret: SymmetricKey(size: .bits256))
        #expect(!elsewhere.isGenuine(token, of: principal))
    }

    @Test func `A token names the form's owner even after the session has ended`() {
        let userID = User.ID.random()
        let token = Self.tokens.token(of: Principal(userID: userID, sessionID: .random()))
        #expect(Self.tokens.isFrom(userID, token))
        #expect(!Self.tokens.isFrom(.random(), token))
        for other in ["", ".", "a.", String(token.dropLast()), userID.description] {
            #expect(!Self.tokens.isFrom(userID, other))
        }
        let elsewhere = FormTokens(secret: SymmetricKey(size: .bits256))
        #expect(!elsewhere.isFrom(userID, token))
    }
}
