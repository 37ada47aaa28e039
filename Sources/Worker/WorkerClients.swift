import AsyncHTTPClient
import Mail
import ObjectStorage
import Push

/// The HTTP clients of the worker: mails, push services and object stores differ in what their connections must bear.
struct WorkerClients: Sendable {
    /// For mails.
    let mail = HTTPClient(configuration: MailgunDriver.clientConfiguration)
    /// For push services that are spoken to over HTTP/1.1.
    let push = HTTPClient(configuration: FCMDriver.clientConfiguration)
    /// For Apple's, over HTTP/2.
    let apns = HTTPClient(configuration: APNsDriver.clientConfiguration)
    /// For an object store.
    let objects = HTTPClient(configuration: S3ObjectStore.clientConfiguration)

    /// Closes their connections, all of them whatever one says.
    /// - Throws: what the last one that fails says.
    func shutdown() async throws {
        var failure: (any Error)?
        for client in [mail, push, apns, objects] {
            do {
                try await client.shutdown()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
