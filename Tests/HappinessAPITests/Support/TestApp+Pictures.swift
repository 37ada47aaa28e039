import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import TestSupport
import Testing

@testable import HappinessAPI

extension TestApp {
    /// The product's own PNG of 256 pixels.
    static let png: [UInt8] = {
        let file = Repository.root.appending(path: "public/default-picture.png")
        return (try? Data(contentsOf: file)).map(Array.init) ?? []
    }()

    /// A form with the part `image`, as Android's first client sends it.
    static func form(_ picture: [UInt8], name: String = "image", boundary: String = "3f2d-41") -> ByteBuffer {
        var body = ByteBuffer(
            string: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"picture.jpg\"\r\n"
                + "Content-Type: image/jpg\r\nContent-Length: \(picture.count)\r\n\r\n")
        body.writeBytes(picture)
        body.writeString("\r\n--\(boundary)--\r\n")
        return body
    }

    /// `PUT /api/v1/me/picture` with the raw picture.
    func upload(_ picture: [UInt8], token: String, type: String = "application/octet-stream") async throws
        -> TestResponse
    {
        try await send(
            .put, "/api/v1/me/picture", token: token, headers: [.contentType: type], body: ByteBuffer(bytes: picture))
    }

    /// `POST /user/uploadProfilePicture` as the first clients send it.
    func uploadClassic(_ body: ByteBuffer, token: String, boundary: String = "3f2d-41") async throws -> TestResponse {
        try await send(
            .post, "/user/uploadProfilePicture",
            headers: [.authorization: token, .contentType: "multipart/form-data; boundary=\(boundary)"], body: body)
    }

    /// Loads a link like an image view: without a token, from the server or the object store.
    func load(_ link: String, headers: HTTPFields = [:]) async throws -> LoadedPicture {
        guard link.hasPrefix("http://localhost:8080/") else {
            let (status, mediaType, bytes) = try await ObjectStoreUnderTest.load(link)
            return LoadedPicture(status: status, mediaType: mediaType, headers: [:], bytes: bytes)
        }
        let response = try await get(String(link.dropFirst("http://localhost:8080".count)), headers: headers)
        return LoadedPicture(
            status: response.status.code, mediaType: response.headers[.contentType], headers: response.headers,
            bytes: Array(response.body.readableBytesView))
    }

    /// Links in `GET /api/v1/me`, by size and format: `large.jpeg`.
    func pictureLinks(token: String) async throws -> [String: String] {
        let response = try await get("/api/v1/me", token: token)
        return try Self.links(try #require(response.object["picture"] as? [String: Any]))
    }

    static func links(_ picture: [String: Any]) throws -> [String: String] {
        var links: [String: String] = [:]
        for size in ["small", "large"] {
            for (format, link) in try #require(picture[size] as? [String: String]) { links["\(size).\(format)"] = link }
        }
        return links
    }

    /// Keys of all objects in the object store.
    func storedKeys() async throws -> [String] {
        try await objects.list(prefix: "", after: nil, limit: 1_000).map(\.key.text)
    }

    /// The current upload files.
    func uploadsOnDisk() throws -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: directory.path("data/uploads"))
        var files: [String] = []
        while let name = enumerator?.nextObject() as? String {
            if enumerator?.fileAttributes?[.type] as? FileAttributeType == .typeRegular { files.append(name) }
        }
        return files
    }
}

/// A downloaded picture.
struct LoadedPicture: Sendable {
    let status: Int
    let mediaType: String?
    let headers: HTTPFields
    let bytes: [UInt8]

    var isJPEG: Bool { bytes.starts(with: [0xff, 0xd8, 0xff]) }
    var isWebP: Bool { bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) }
    var isPNG: Bool { bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) }
}
