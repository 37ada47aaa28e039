import Crypto
package import Domain
import Foundation
package import Ports
package import Storage

/// Marks accounts whose present address takes no mails.
///
/// A report about an address that no account has at present marks nobody. Nobody is told which mail was reported.
package struct AddressFaultService: Sendable {
    /// Seconds. Mailgun tries to deliver a report for about eight hours.
    static let maximumAge: TimeInterval = 12 * 3_600
    /// Seconds by which Mailgun's clock may be ahead of ours.
    static let maximumLead: TimeInterval = 300
    /// Seconds for which the token of a report is remembered: longer than a report is valid.
    static let memory: TimeInterval = 86_400

    private let store: any Store
    private let codes: AddressCodes
    private let reportKey: SymmetricKey
    private let clock: WallClock

    /// - Parameter secrets: the same in all processes, so that the server knows the worker's codes.
    package init(stores: Stores, secrets: Secrets, clock: WallClock) {
        store = stores.rows
        codes = AddressCodes(secret: secrets.jwt)
        reportKey = DerivedKey.mailReports.make(from: secrets.jwt)
        self.clock = clock
    }

    /// The code for a mail to this address.
    package func code(of address: String) -> String { codes.code(of: address) }

    /// Marks the account whose present address this is, ignoring case. An account that is marked keeps its first mark.
    /// - Throws: `StorageError.unavailable`.
    package func mark(_ address: String, as kind: AddressFault.Kind) async throws {
        let fault = AddressFault(kind: kind, since: CalendarDay(instant: clock.now, in: .gmt))
        try await store.transaction { rows in
            guard var user = try rows.user(email: address), user.addressFault == nil else { return }
            user.addressFault = fault
            try rows.update(user)
        }
    }

    /// Marks the account that a report of Mailgun is about. Reports of other events are ignored, and those about mails
    /// without a code: reminders, and mails that other programs send from the same domain.
    ///
    /// The token is used up before the account is marked. If the store fails in between, the report is lost, and the
    /// next mail to the address causes another one.
    /// - Parameter key: `MAILGUN_WEBHOOK_SIGNING_KEY`
    /// - Throws: `AppError.unprocessable` for a report that is not signed with the key, is too old, was received before, or has
    ///   a code that is not the address's; `StorageError.unavailable`.
    package func handle(_ report: MailgunReport, signedWith key: SecretText) async throws {
        let now = clock.now
        guard report.isSigned(with: key), let sent = report.sent,
            (-Self.maximumLead...Self.maximumAge).contains(now.timeIntervalSince(sent))
        else { throw Self.refused }
        guard let kind = report.kind, let address = report.recipient, let code = report.code else { return }
        guard codes.isValid(code, of: address) else { throw Self.refused }
        let token = SecureBytes.hmac(Data(report.token.utf8), key: reportKey)
        guard try await store.write({ try $0.takeQuota(token, limit: 1, window: Self.memory, at: now) }) else {
            throw Self.refused
        }
        try await mark(address, as: kind)
    }

    private static let refused = AppError(.unprocessable, "This report isn’t valid.")
}
