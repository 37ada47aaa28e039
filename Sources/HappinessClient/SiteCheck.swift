import Crypto
import Foundation

/// Compares the web app that an installation serves with the files of a release.
///
/// The installation serves the code that seals a vote in a browser, so whoever runs it could change that code. This check
/// notices files that are changed for everyone. It cannot notice a server that knows who checks: a browser may get
/// other files than this program.
public actor SiteCheck {
    /// SHA-256 of each file, as 64 hexadecimal digits, by its name.
    private let hashes: [String: String]
    private let exchange: HTTPExchange
    /// Folders such as `/assets/v/1f0c`, from which pages load files, whose files were compared.
    private var compared: Set<String> = []

    /// The service worker's name in the list. Its first line says which files it keeps and differs with each
    /// installation's texts, so its hash is that of all other lines.
    private static let serviceWorker = "service-worker.js"

    /// A check; sends nothing yet.
    /// - Parameters:
    ///   - server: the installation.
    ///   - hashes: those of the release as `sha256sum` prints them, a line each: the hash, two spaces, the name.
    public init(server: HappinessServer, hashes: String) {
        let lines = hashes.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").map(String.init) }
        self.hashes = Dictionary(lines.filter { $0.count == 2 }.map { ($0[1], $0[0]) }) { $1 }
        exchange = HTTPExchange(server: server.address, keepsCookies: true)
    }

    /// The number of files in the list.
    public nonisolated var count: Int { hashes.count }

    /// Logs in as a browser does: ``differences(onPage:)`` then sees the pages of a member.
    public func logIn(name: String, password: String) async throws {
        let page = try await exchange.send(form: ["username": name, "password": password, "next": "/"], to: "/login")
        if String(decoding: page, as: UTF8.self).contains(#"action="/login"#) {
            throw ClientError.loggedOut("The server didn’t log you in.")
        }
    }

    /// What a page loads that is not in the release, a sentence each; empty if there is nothing. Files that a page
    /// names load others from the same folder, so all files in it are compared.
    /// - Parameter path: such as `/login`.
    public func differences(onPage path: String) async throws -> [String] {
        let (body, headers) = try await exchange.send(path)
        let page = String(decoding: body, as: UTF8.self)
        var found: [String] = []
        let policy = headers["content-security-policy"] ?? ""
        if !policy.hasPrefix("default-src 'self';") || policy.contains("script-src") || policy.contains("unsafe") {
            found.append("\(path) allows scripts from elsewhere, or in the page itself.")
        }
        for tag in page.matches(of: /<(?:script|link|iframe|object|embed|base)\b[^>]*>/.ignoresCase())
        where tag.output.firstMatch(of: #/^<link rel="(?:icon|apple-touch-icon|manifest|expect)" /#) == nil {
            // Exactly as pages of the release write them: what a browser makes of other spellings is hard to foresee.
            let written =
                #/<(?:script type="module" src|link rel="stylesheet" href)="(/assets/v/[0-9a-f]+)/([^"/]+)">/#
            guard let (_, folder, file) = tag.output.wholeMatch(of: written)?.output, hashes[String(file)] != nil else {
                found.append("\(path) loads something that isn’t in the release: \(tag.output)")
                continue
            }
            guard compared.insert(String(folder)).inserted else { continue }
            for name in hashes.keys.sorted() where name != Self.serviceWorker {
                found += try await differences(ofFile: name, at: "\(folder)/\(name)")
            }
        }
        return found
    }

    private func differences(ofFile name: String, at path: String) async throws -> [String] {
        do {
            let (body, _) = try await exchange.send(path)
            return SHA256.hash(data: body).hexadecimal == hashes[name] ? [] : ["\(path) differs from the release."]
        } catch ClientError.refused {
            return ["\(path) is missing."]
        }
    }

    /// What differs in the service worker: a sentence, or nothing.
    public func differencesOfServiceWorker() async throws -> [String] {
        guard let expected = hashes[Self.serviceWorker] else { return [] }
        let (body, _) = try await exchange.send("/service-worker.js")
        let lines = body.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let head = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let isData = head.hasPrefix("const SHELL = {") && head.hasSuffix("};") && isJSON(head.dropFirst(14).dropLast())
        return isData && lines.count == 2 && SHA256.hash(data: lines[1]).hexadecimal == expected
            ? [] : ["/service-worker.js differs from the release."]
    }

    private func isJSON(_ text: Substring) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
    }
}
