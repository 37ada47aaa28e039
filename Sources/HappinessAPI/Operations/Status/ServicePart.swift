import Foundation
import Logging
import Ports
import Services

/// A service that this installation depends on, and a check whether it responds.
struct ServicePart: Sendable {
    /// Its purpose. The raw value appears in JSON.
    enum Purpose: String, Encodable, Sendable, CaseIterable {
        /// The database.
        case store
        /// The object store with the pictures.
        case objects
        /// Sends mail.
        case mail
        /// Sends push messages.
        case push
    }

    /// Result of the check. The raw value appears in JSON.
    enum State: String, Encodable, Sendable, CaseIterable {
        /// It responds.
        case reachable
        /// It fails, or does not respond in time.
        case unreachable
        /// There is nothing to check: a folder, a log, or services that are not known in advance.
        case local
    }

    let purpose: Purpose
    /// The driver's name as in the settings, and the host; never an account or a key.
    let driver: String
    /// Throws if the service does not respond; `nil` if there is nothing to check.
    let ask: (@Sendable () async throws -> Void)?

    /// How long the page waits for a check.
    static let patience = Duration.seconds(2)

    /// Runs the check for at most `patience`.
    func state(logger: Logger) async -> State {
        guard let ask else { return .local }
        let isReachable = await TimeLimit.run(Self.patience) {
            do {
                try await ask()
                return true
            } catch {
                logger.debug(
                    "A service is not responding", metadata: ["part": "\(purpose)", "error": "\(type(of: error))"])
                return false
            }
        }
        return isReachable == true ? .reachable : .unreachable
    }
}

extension ServicePart {
    /// The database.
    static func store(_ store: StoreService) -> ServicePart {
        ServicePart(purpose: .store, driver: store.kind) { try await store.ping() }
    }

    /// The parts of an installation besides the database, in the order of the page.
    static func all(_ settings: Settings, objects: any ObjectStore) -> [ServicePart] {
        [object(settings.objects, objects), mail(settings.mail)] + push(settings.push)
    }

    private static func object(_ settings: ObjectSettings, _ objects: any ObjectStore) -> ServicePart {
        let driver =
            switch settings.driver {
            case .file: "file"
            case .s3(let s3): named("s3", s3.endpoint)
            }
        return ServicePart(purpose: .objects, driver: driver) { try await objects.check() }
    }

    private static func mail(_ settings: MailSettings) -> ServicePart {
        switch settings.driver {
        case .file: ServicePart(purpose: .mail, driver: "file", ask: nil)
        case .mailgun(let mailgun): remote(.mail, "mailgun", at: mailgun.baseURL)
        case .smtp(let smtp): remote(.mail, "smtp", at: smtp.url)
        }
    }

    private static func push(_ settings: PushSettings) -> [ServicePart] {
        settings.drivers.sorted { $0.rawValue < $1.rawValue }.map { driver in
            switch driver {
            case .fcm: remote(.push, "fcm", at: settings.fcm?.baseURL)
            case .apns: remote(.push, "apns", at: settings.apns?.baseURL)
            // Each browser names its vendor's push service when it registers.
            case .log, .webPush: ServicePart(purpose: .push, driver: driver.rawValue, ask: nil)
            }
        }
    }

    private static func remote(_ purpose: Purpose, _ name: String, at url: String?) -> ServicePart {
        guard let url, let probe = TCPProbe(url: url) else {
            return ServicePart(purpose: purpose, driver: name, ask: nil)
        }
        return ServicePart(purpose: purpose, driver: named(name, url)) { try await probe.check() }
    }

    private static func named(_ name: String, _ url: String) -> String {
        TCPProbe(url: url).map { "\(name) · \($0.host)" } ?? name
    }
}
