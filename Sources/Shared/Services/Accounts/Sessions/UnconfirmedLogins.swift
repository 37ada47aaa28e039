package import Crypto
import Domain
import Foundation
package import Storage

/// The passwords that were typed with registrations, so that a log-in before the address is confirmed can say what is
/// missing.
///
/// A mark stands for a name or an address with a password. It is stored for every registration, whether or not the
/// address has an account, and stays until it expires or the registration is confirmed with this password. So someone
/// who registers another person's address gets the same answer whatever its owner has, or does (decisions 7 and 66).
///
/// A mark is a hash of the password, as slow as that of an account, and keyed. All have one salt, because a log-in only
/// knows what was typed: without the secret, which is not in the store, the salt is unknown.
package struct UnconfirmedLogins: Sendable {
    private let store: any Store
    private let key: SymmetricKey
    private let salt: [UInt8]

    /// - Parameter secret: `JWT_SECRET`.
    package init(store: any Store, secret: SymmetricKey) {
        self.store = store
        key = DerivedKey.unconfirmedLogins.make(from: secret)
        salt = Array(SecureBytes.hmac(Data("salt".utf8), key: key).prefix(PasswordHasher.saltLength))
    }

    /// Marks name and address with the password. Hashes once.
    func add(
        name: String, email: String, password: String, turn: PasswordHasher.Turn, at now: Date
    ) async throws {
        let marks = try await marks([name, email], password, turn)
        let expires = now.addingTimeInterval(OneTimeToken.Purpose.unconfirmedLogIn.lifetime)
        do {
            try await store.transaction { rows in
                for mark in marks {
                    let subject = mark.hexadecimal
                    // Registered before with the same password: the mark then stays longer.
                    try rows.deleteTokens(purpose: .unconfirmedLogIn, subject: subject)
                    try rows.insert(
                        OneTimeToken(
                            hash: mark, purpose: .unconfirmedLogIn, subject: subject, email: "", expires: expires))
                }
            }
        } catch StorageError.duplicate {
            // The same form, sent twice at once.
        }
    }

    /// Removes the marks of a registration that was confirmed with this password. Hashes once.
    func remove(name: String, email: String, password: String, turn: PasswordHasher.Turn) async throws {
        let marks = try await marks([name, email], password, turn)
        try await store.write { rows in
            for mark in marks {
                try rows.deleteTokens(purpose: .unconfirmedLogIn, subject: mark.hexadecimal)
            }
        }
    }

    /// Whether this name or address was registered with this password and waits to be confirmed. Hashes once and reads
    /// once, whatever the answer is.
    /// - Parameter login: user name or e-mail address as typed.
    func contains(login: String, password: String, turn: PasswordHasher.Turn, at now: Date) async throws -> Bool {
        let marks = try await marks([login], password, turn)
        return try await store.read { rows in
            try marks.contains { try rows.token(hash: $0, purpose: .unconfirmedLogIn, at: now) != nil }
        }
    }

    private func marks(
        _ logins: [String], _ password: String, _ turn: PasswordHasher.Turn
    ) async throws -> [[UInt8]] {
        // A password that nobody can have leads to a mark that is not stored.
        let hash = try await turn.hash(password, salt: salt) ?? ""
        return logins.map { login in
            let folded = login.contains("@") ? EmailAddress.folded(login) : UserName.folded(login)
            return SecureBytes.hmac(Data("\(hash) \(folded)".utf8), key: key)
        }
    }
}

extension AppError {
    /// The password is right, but the mailed link has not been used.
    static let addressNotConfirmed = AppError(
        .unauthenticated,
        "Your e-mail address isn’t confirmed yet. Please open the link in the e-mail we sent you, or have it sent again.",
        reason: .addressNotConfirmed)
}
