extension Device.Address {
    /// Characters of a registration token. Firebase documents no limit; current tokens have about 160.
    package static let fcmTokenLengths = 1...4_096
    /// Digits of a device token. Current ones have 64; "APNs device tokens are of variable length" (Apple, "Registering
    /// your app with APNs").
    package static let apnsTokenLengths = 64...200

    /// The address of an app that registered with Firebase.
    /// - Throws: `AppError.unprocessable` (`device-token-not-valid`) unless it is printable ASCII without spaces, and of a
    ///   length in `fcmTokenLengths`.
    package static func fcm(validating token: String) throws(AppError) -> Device.Address {
        guard fcmTokenLengths.contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw invalidToken
        }
        return .fcm(token: token)
    }

    /// The address of an app that registered with Apple; in lower case, so that one device has one address.
    /// - Throws: `AppError.unprocessable` (`device-token-not-valid`) unless it consists of hexadecimal digits, with a length
    ///   in `apnsTokenLengths`.
    package static func apns(validating token: String) throws(AppError) -> Device.Address {
        guard apnsTokenLengths.contains(token.utf8.count), token.utf8.allSatisfy(\.isHexadecimalDigit) else {
            throw invalidToken
        }
        return .apns(token: token.lowercased())
    }

    private static let invalidToken = AppError(
        .unprocessable, "This isn’t a token of the push service.", reason: .deviceTokenNotValid)
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

/// The data of a registration, validated and ready to be stored.
package struct DeviceRegistration: Hashable, Sendable {
    /// Maximum number of characters in `appVersion`.
    package static let maximumAppVersionLength = 32
    /// Bytes: four per character, so that stacked combining marks cannot make a short version huge.
    static let maximumAppVersionBytes = 4 * maximumAppVersionLength

    /// The destination of its messages.
    package let address: Device.Address
    package let platform: Device.Platform
    /// The app's version; `nil` if the app does not send it.
    package let appVersion: String?
    /// Language of the messages; `nil` for the account's.
    package let locale: MailLocale?

    /// - Parameter address: validated.
    /// - Throws: `AppError.unprocessable` (`app-version-not-valid`, `no-such-language`).
    package init(
        address: Device.Address, platform: Device.Platform, appVersion: String? = nil, locale: String? = nil
    ) throws(AppError) {
        if let appVersion {
            guard appVersion.count <= Self.maximumAppVersionLength,
                appVersion.utf8.count <= Self.maximumAppVersionBytes,
                !appVersion.unicodeScalars.contains(where: \.properties.isControlOrInvisible)
            else {
                throw AppError(
                    .unprocessable,
                    "An app’s version has at most \(Self.maximumAppVersionLength) characters, none of them invisible.",
                    reason: .appVersionNotValid)
            }
        }
        if let locale {
            guard let known = MailLocale(installed: locale) else { throw AppError.noSuchLanguage }
            self.locale = known
        } else {
            self.locale = nil
        }
        self.address = address
        self.platform = platform
        self.appVersion = appVersion
    }
}
