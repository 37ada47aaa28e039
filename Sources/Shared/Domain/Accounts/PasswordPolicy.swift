import Foundation

/// The rules for a new password, wherever it is set. Every rejection has a reason.
///
/// NIST SP 800-63B-4 §3.1.1.2 requires a minimum length and a blocklist and forbids rules about kinds of characters.
/// Such rules are an operator's choice (setting `PASSWORD_POLICY`), for organisations that require them.
package enum PasswordPolicy: String, Sendable, CaseIterable {
    /// At least `minimumLength` characters, at most 72 bytes, and no password that attackers try first.
    case length
    /// As `length`, and at least one character of each `CharacterKind`.
    case classes

    /// Code points after normalisation (OWASP ASVS 5).
    package static let minimumLength = 8

    /// Names of this service, which NIST counts among the expected passwords.
    private static let serviceNames: Set<String> = ["happinessmetric", "happiness", "metric", "happinessapi"]

    /// - Throws: `AppError.unprocessable` with the reason, in words for the user.
    package func check(_ password: String, name: String, email: String) throws(AppError) {
        let bytes = try PasswordPolicy.bytes(of: password)
        let normalised = String(decoding: bytes, as: UTF8.self)
        guard normalised.unicodeScalars.count >= Self.minimumLength else {
            throw AppError(
                .unprocessable, "The password is too short. It needs at least \(Self.minimumLength) characters.",
                reason: .passwordTooShort)
        }
        let folded = normalised.lowercased()
        guard !CommonPasswords.list.contains(folded), Set(folded).count > 1 else {
            throw AppError(
                .unprocessable, "This is one of the most common passwords. Please choose another one.",
                reason: .passwordTooCommon)
        }
        let core = Self.core(of: folded)
        guard !Self.serviceNames.contains(core) else {
            throw AppError(
                .unprocessable, "The password is the name of this service. Please choose another one.",
                reason: .passwordIsServiceName)
        }
        let localPart = String(email.prefix { $0 != "@" })
        let own = [name, email, localPart].map { Self.core(of: $0.lowercased()) }
        guard !own.contains(core) || core.isEmpty else {
            throw AppError(
                .unprocessable, "The password is your user name or e-mail address. Please choose another one.",
                reason: .passwordIsOwnName)
        }
        let missing = missingKinds(in: normalised)
        guard missing.isEmpty else {
            throw AppError(
                .unprocessable, "The password also needs: \(parts: missing.map(\.words)).",
                reason: .passwordNeedsOtherCharacters)
        }
    }

    /// The kinds the policy requires and the text lacks.
    func missingKinds(in text: String) -> [CharacterKind] {
        switch self {
        case .length: []
        case .classes: CharacterKind.allCases.filter { kind in !text.unicodeScalars.contains(where: kind.contains) }
        }
    }

    /// Letters and digits without trailing digits: what `anna.berger-1984` and `AnnaBerger` have in common.
    private static func core(of text: String) -> String {
        let characters = text.filter { $0.isLetter || $0.isNumber }
        guard let last = characters.lastIndex(where: { !$0.isNumber }) else { return characters }
        return String(characters[...last])
    }
}

/// A kind of character that `PasswordPolicy.classes` requires.
enum CharacterKind: CaseIterable {
    case upper
    case lower
    case digit
    /// Anything except letters and digits, including spaces.
    case special

    /// Recognises all scripts, not only ASCII.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return switch self {
        case .upper: properties.isUppercase
        case .lower: properties.isLowercase
        case .digit: properties.generalCategory == .decimalNumber
        case .special: !properties.isAlphabetic && properties.generalCategory != .decimalNumber
        }
    }

    /// The name of the kind, for the user.
    fileprivate var words: Sentence {
        switch self {
        case .upper: Sentence("an upper-case letter")
        case .lower: Sentence("a lower-case letter")
        case .digit: Sentence("a digit")
        case .special: Sentence("a special character such as ! or -")
        }
    }
}

extension PasswordPolicy {
    /// Bytes after normalisation. bcrypt ignores everything after them, so longer passwords are rejected.
    package static let maximumBytes = 72

    /// The normalised form that is hashed.
    static func normalised(_ password: String) -> String {
        password.precomposedStringWithCompatibilityMapping
    }

    /// The bytes that are hashed.
    /// - Throws: `AppError.unprocessable` for a password that bcrypt would truncate: too long, or with a NUL, which ends it
    ///   in C.
    package static func bytes(of password: String) throws(AppError) -> [UInt8] {
        let bytes = Array(normalised(password).utf8)
        guard bytes.count <= maximumBytes else {
            throw AppError(
                .unprocessable, "The password is longer than \(maximumBytes) bytes. Please choose a shorter one.",
                reason: .passwordTooLong)
        }
        guard !bytes.contains(where: { $0 < 32 || $0 == 127 }) else {
            throw AppError(.unprocessable, "The password contains a control character.", reason: .passwordNotText)
        }
        return bytes
    }
}
