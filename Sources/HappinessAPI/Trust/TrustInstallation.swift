import Domain
import Ports
import Services
import Storage

/// What the page about trust says of the installation: settings that anyone may know.
struct TrustInstallation: Sendable {
    /// `ServerSettings.publicURL`
    let address: String
    let usesHTTPS: Bool
    let usesMongoDB: Bool
    /// Days for which feedback is kept after its sprint; `nil` for ever.
    let feedbackDays: Int?
    /// Whether the worker makes backups. The operator may make others.
    let makesBackups: Bool
    /// Other services that get personal data.
    let recipients: [Recipient]
    /// Names of the OpenID providers.
    let loginProviders: [String]

    /// A service that gets personal data. The raw values are keys of texts.
    enum Recipient: String, CaseIterable, Sendable {
        case mailgun, mailServer, fcm, apns, webPush, bucket, backupBucket, collector
    }

    /// What observers can find out here, with the rules of a sprint, or those of new teams without one.
    func situation(_ sprint: Sprint?) -> TrustSituation {
        var situation = TrustSituation(
            usesMongoDB: usesMongoDB, usesHTTPS: usesHTTPS, hasLoginProvider: !loginProviders.isEmpty)
        if let sprint {
            situation.policy = sprint.policy
            situation.ballots = sprint.ballots
        }
        return situation
    }
}

extension TrustInstallation {
    /// What the settings say.
    init(_ settings: Settings) {
        let address = settings.server.publicURL
        var recipients: [Recipient] = []
        switch settings.mail.driver {
        case .file: break
        case .mailgun: recipients.append(.mailgun)
        case .smtp: recipients.append(.mailServer)
        }
        if settings.push.fcm != nil { recipients.append(.fcm) }
        if settings.push.apns != nil { recipients.append(.apns) }
        if settings.push.webPush != nil { recipients.append(.webPush) }
        if settings.objects.linkOrigin != nil { recipients.append(.bucket) }
        if settings.backups?.bucket != nil { recipients.append(.backupBucket) }
        if settings.telemetry != nil { recipients.append(.collector) }
        let usesMongoDB =
            switch settings.store {
            case .mongodb: true
            case .sqlite: false
            }
        self.init(
            address: address, usesHTTPS: address.lowercased().hasPrefix("https://"), usesMongoDB: usesMongoDB,
            feedbackDays: settings.feedbackDays, makesBackups: settings.backups != nil, recipients: recipients,
            loginProviders: settings.openID.providers.map(\.name))
    }
}
