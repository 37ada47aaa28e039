public import AsyncHTTPClient
public import Shared

extension MailSettings.Driver {
    /// The driver the settings choose.
    /// - Parameters:
    ///   - client: for the drivers that speak HTTP; belongs to the caller. See `MailgunDriver.clientConfiguration`.
    ///   - output: takes the `file` driver's lines, links included: for the console, never for a log.
    public func make(
        client: HTTPClient, clock: WallClock = .system, output: @escaping @Sendable (String) -> Void
    ) -> any MailDriver {
        switch self {
        case .file(let outbox): FileDriver(outbox: outbox, output: output)
        case .mailgun(let settings): MailgunDriver(settings: settings, client: client, clock: clock)
        case .smtp(let settings): SMTPDriver(settings: settings)
        }
    }
}
