import Domain
import Foundation
import Ports
import Services
import Storage

/// Settings, files and ports of this machine.
extension Doctor {
    func address() -> [Finding] {
        guard let parts = URLComponents(string: settings.server.publicURL), let host = parts.host else { return [] }
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
        let server = settings.server
        guard !isLocal || server.socketPath != nil || ["localhost", "127.0.0.1", "::1"].contains(server.host) else {
            return [
                Finding(
                    .advice, "address",
                    "HOST is \(server.host), so other machines can connect, but PUBLIC_URL is \(server.publicURL): links in "
                        + "mails lead nowhere there. Set PUBLIC_URL to the address that people type.", .addressLocal)
            ]
        }
        guard parts.scheme == "https" || isLocal else {
            return [
                Finding(
                    .advice, "address",
                    "PUBLIC_URL has no https: browsers then cannot seal votes, and passwords travel in the clear.",
                    .addressPlain)
            ]
        }
        guard parts.scheme != "https" || settings.server.trustedProxies > 0 else {
            return [
                Finding(
                    .advice, "address",
                    "PUBLIC_URL has https, so there is a proxy, but TRUSTED_PROXIES is 0: all people share its address.",
                    .addressProxy)
            ]
        }
        return [Finding(.ok, "address", server.publicURL, .addressOk, ["address": server.publicURL])]
    }

    /// Asks the API that these settings start. Without one, tries its port for a moment.
    /// - Returns: no finding if none answers and one could start; `hasAnswer` is `nil` if the system chooses the port.
    func port() async -> (finding: Finding?, hasAnswer: Bool?) {
        let server = settings.server
        guard server.socketPath != nil || server.port != 0 else { return (nil, nil) }
        do {
            let version = try await HealthCommand.version(at: server)
            let place = server.socketPath ?? "port \(server.port)"
            return (Finding(.ok, "port", "Version \(version) answers on \(place)."), true)
        } catch {
            let silence = OperatorMessage.text(for: error)
            guard server.socketPath == nil else { return (nil, false) }
            do {
                try ListeningCheck.require(host: server.host, port: server.port, setting: "PORT")
                return (nil, false)
            } catch {
                return (Finding(.fault, "port", "\(silence) \(OperatorMessage.text(for: error))"), false)
            }
        }
    }

    /// The files of SQLite and the secrets must belong to the user as whom the programs run.
    func owners() -> [Finding] {
        guard case .sqlite(let path) = settings.store else { return [] }
        let secrets = ["JWT_SECRET", "BALLOT_SECRET", "VAPID_PRIVATE_KEY"].map { "\(settings.dataDirectory)/\($0)" }
        let files = ["", "-wal", "-shm"].map { path + $0 } + secrets
        let owners = files.compactMap { file -> (file: String, id: UInt32)? in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let id = attributes?[.ownerAccountID] as? NSNumber else { return nil }
            return (file: file, id: id.uint32Value)
        }
        guard let first = owners.first else { return [] }
        if let other = owners.first(where: { $0.id != first.id }) {
            return [
                Finding(
                    .fault, "owner",
                    "\(first.file) belongs to the user \(first.id), and \(other.file) to the user \(other.id). Give all "
                        + "to the user as whom API and worker run (chown).")
            ]
        }
        guard first.id != geteuid() else { return [] }
        return [
            Finding(
                geteuid() == 0 ? .advice : .fault, "owner",
                "\(first.file) belongs to the user \(first.id), and this command runs as \(geteuid()). Run API, worker "
                    + "and commands as the owner.")
        ]
    }

    func files() -> [Finding] {
        let notices: [Finding]
        do {
            notices = try ServerFiles(.standard()).texts.notices.map { Finding(.advice, "texts", $0) }
        } catch {
            return [
                Finding(
                    .fault, "files",
                    "Templates and assets cannot be read: \(OperatorMessage.text(for: error)) Install the release again."
                )
            ]
        }
        guard FileManager.default.isExecutableFile(atPath: PictureProcess.toolBesideThisProgram) else {
            return [
                Finding(
                    .fault, "files",
                    "There is no PictureTool beside this program, so nobody can upload a picture. Install the release again."
                )
            ]
        }
        return [Finding(.ok, "files", "Templates, assets and PictureTool are there.")] + notices
    }

    func disk() -> [Finding] {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: settings.dataDirectory)
        guard let free = (values?[.systemFreeSize] as? NSNumber)?.int64Value else { return [] }
        // Rounded, since the page shows it too.
        let shown = SystemStatus.Disk.rounded(free).formatted(.byteCount(style: .file))
        return [
            free < 2_000_000_000
                ? Finding(
                    .advice, "disk", "Only \(shown) are free for \(settings.dataDirectory). Uploads may need 1.7 GB.",
                    .diskLow, ["free": shown])
                : Finding(
                    .ok, "disk", "\(shown) are free for \(settings.dataDirectory).", .diskOk, ["free": shown])
        ]
    }
}
