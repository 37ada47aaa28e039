import ArgumentParser
import AsyncHTTPClient
import Domain
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ObjectStorage
import Ports
import Services

/// The place from which pictures of the first system may be fetched: scheme, host and port.
///
/// The addresses come from its database. If any of them were fetched, who can write there could make this machine send
/// requests to others that only it can reach.
struct ClassicPictureOrigin: ExpressibleByArgument, Hashable {
    private let scheme: String
    private let host: String
    private let port: Int

    /// - Parameter argument: `https://pictures.example.org`, with a port if it is not the usual one.
    init?(argument: String) {
        guard let parts = URLComponents(string: argument), ["", "/"].contains(parts.path), parts.query == nil,
            let origin = Self(parts)
        else { return nil }
        self = origin
    }

    /// Whether an address is there.
    func contains(_ address: String) -> Bool {
        URLComponents(string: address).flatMap { Self($0) } == self
    }

    private init?(_ parts: URLComponents) {
        guard let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty,
            let usual = ["http": 80, "https": 443][scheme], parts.user == nil, parts.password == nil
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = parts.port ?? usual
    }
}

/// Fetches pictures of the first system, and stores them like uploads.
struct ClassicPictures: Sendable {
    let origin: ClassicPictureOrigin
    let users: UserService
    let pictures: PictureService
    let uploads: UploadFolder
    let client: HTTPClient

    /// Seconds for one picture; a slow server must not hold up the others for long.
    private static let timeLimit: TimeAmount = .seconds(30)

    /// Fetches and stores pictures, one after the other.
    /// - Returns: how many were stored, and a line for each of the others.
    /// - Throws: `StorageError`, and `AppError.unavailable` if no picture can be stored at present.
    func move(_ all: [ClassicImport.Picture]) async throws -> (count: Int, lines: [String]) {
        var (count, lines) = (0, [String]())
        for picture in all {
            if let reason = try await move(picture) {
                lines.append("users “\(picture.name)”: profilePicture \(reason)")
            } else {
                count += 1
            }
        }
        return (count, lines)
    }

    /// - Returns: why it was not stored; `nil` if it was.
    private func move(_ picture: ClassicImport.Picture) async throws -> String? {
        guard origin.contains(picture.address) else { return "is not at the place that --pictures names." }
        let user: User
        do {
            user = try await users.find(login: picture.name, by: .operator)
        } catch let error as AppError where error.code == .notFound {
            return "belongs to nobody here."
        }
        let bytes: ByteBuffer
        do {
            let response = try await client.execute(HTTPClientRequest(url: picture.address), timeout: Self.timeLimit)
            guard response.status == .ok else { return "was answered with status \(response.status.code)." }
            bytes = try await response.body.collect(upTo: PictureUpload.maximumBytes)
        } catch {
            // Too large or cut short makes no difference to the operator.
            return "cannot be fetched."
        }
        do {
            try await uploads.withFile { file in
                try await file.write(bytes)
                _ = try await pictures.replace(of: Principal(userID: user.id, sessionID: .random()), with: file.path)
            }
            return nil
        } catch let error as AppError where error.code != .unavailable {
            return "cannot be used: \(error.message)"
        }
    }
}

extension ClassicPictures {
    /// Lends the parts that a server uses for uploads.
    static func with<Value>(
        _ origin: ClassicPictureOrigin, settings: ObjectSettings, in context: CommandContext,
        _ body: (ClassicPictures) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "pictures") { _ in SwiftLogNoOpLogHandler() }
        // For the object store and the first system: neither may redirect to another place.
        return try await withBucketClient { client in
            let objects = settings.makeStore(client: client, logger: logger)
            // As API and worker do. Another installation would delete what it does not know.
            try await InstallationMark(secret: context.secrets.ballot).claim(pictures: objects)
            let service = context.pictures(in: objects, maker: PictureProcess(logger: logger), logger: logger)
            let uploads = try UploadFolder(dataDirectory: context.dataDirectory, logger: logger)
            return try await body(
                ClassicPictures(
                    origin: origin, users: context.users, pictures: service, uploads: uploads, client: client))
        }
    }
}
