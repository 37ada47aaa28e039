package import AsyncHTTPClient
package import Ports

extension MailSettings.Driver {
    /// Creates the driver selected in the settings.
    /// - Parameters:
    ///   - client: for drivers that use HTTP; the caller shuts it down. See `MailgunDriver.clientConfiguration`.
    ///   - output: prints the `file` driver's lines, including links: to the console, never to a log.
    package func make(
        client: HTTPClient, clock: WallClock = .system, output: @escaping @Sendable (String) -> Void
    ) -> any MailDriver {
        switch self {
        case .file(let outbox): FileDriver(outbox: outbox, output: output)
        case .mailgun(let settings): MailgunDriver(settings: settings, client: client, clock: clock)
        case .smtp(let settings): SMTPDriver(settings: settings)
        }
    }
}
