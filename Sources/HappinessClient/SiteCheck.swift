import Crypto
import Foundation

/// Compares the web app that an installation serves with the files of a release.
///
/// The installation serves the code that seals a vote in a browser, so its operator could change that code. This check
/// notices files that are changed for everyone. It cannot notice a server that knows who checks: a browser may get
/// other files than this program.
public actor SiteCheck {
    /// SHA-256 of each file, as 64 hexadecimal digits, by its name.
    private let hashes: [String: String]
    private let exchange: HTTPExchange
    /// Takes the path of the installation's address off those that it serves. In this file, paths are without it.
    private let scope: ServerScope
    /// Folders from which pages load files, such as `/assets/v/1f0c`, once their files were compared.
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
        exchange = HTTPExchange(server: server.address, isBrowser: true)
        scope = ServerScope(server: server.address)
    }

    /// The number of files in the list.
    public nonisolated var count: Int { hashes.count }

    /// Logs in as a browser does.
    /// - Returns: the page to which the login leads: that of the member's team, such as `/teams/1f0c`, or another one
    ///   if they have none.
    /// - Throws: ``ClientError``: `loggedOut` if the name or the password is wrong.
    public func logIn(name: String, password: String) async throws -> String {
        let form = ["username": name, "password": password, "next": "/"]
        let path: String
        do {
            path = try await exchange.send(form: form, to: "/login").path
        } catch ClientError.loggedOut {
            path = "/login"
        }
        guard path != "/login" else { throw ClientError.loggedOut("The server didn’t log you in.") }
        return path
    }

    /// Ends the session of `logIn`.
    public func logOut() async throws {
        let page = String(decoding: try await exchange.send("/").body, as: UTF8.self)
        guard let token = page.firstMatch(of: /<meta name="form-token" content="([^"]+)">/)?.output.1 else { return }
        _ = try await exchange.send(form: ["formToken": String(token)], to: "/logout")
    }

    /// What a page loads that is not in the release, and what it does not load, a sentence each; empty if there is
    /// nothing. Files that a page names load others from the same folder, so all files in it are compared.
    /// - Parameters:
    ///   - path: such as `/login`.
    ///   - required: what the page must load. Without its script the vote page seals nothing.
    public func differences(onPage path: String, loading required: Set<String>) async throws -> [String] {
        let page = try await exchange.send(path)
        var found = Self.differences(inHeaders: page.headers, of: page.path)
        // A byte order mark outweighs the content type in a browser.
        if page.body.starts(with: [0xfe, 0xff]) || page.body.starts(with: [0xff, 0xfe]) {
            found.append("\(page.path) isn’t a page in UTF-8.")
        }
        let text = String(decoding: page.body, as: UTF8.self)
        found += differences(inRootTagsOf: text, at: page.path)
        var loaded: Set<String> = []
        for tag in text.matches(of: Self.loadingTag) where tag.output.wholeMatch(of: Self.harmlessTag) == nil {
            guard let address = tag.output.wholeMatch(of: Self.ownTag)?.output.1,
                let (folder, file) = releasedFile(at: String(address))
            else {
                found.append("\(page.path) loads something that isn’t in the release: \(tag.output)")
                continue
            }
            loaded.insert(file)
            guard compared.insert(folder).inserted else { continue }
            for name in hashes.keys.sorted() where name != Self.serviceWorker {
                found += try await differences(ofFile: name, at: "\(folder)/\(name)")
            }
        }
        let ballot: Set = page.path.hasSuffix("/vote") ? ["vote.js"] : []
        for missing in required.union(ballot).subtracting(loaded).sorted() {
            found.append("\(page.path) doesn’t load \(missing).")
        }
        return found
    }

    /// What differs in the service worker and in the pages that it keeps, a sentence each; empty if nothing does.
    public func differencesOfServiceWorker() async throws -> [String] {
        guard let expected = hashes[Self.serviceWorker] else { return [] }
        let path = "/\(Self.serviceWorker)"
        let lines = try await exchange.send(path).body.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let head = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard lines.count == 2, SHA256.hash(data: lines[1]).hexadecimal == expected, head.hasPrefix("const SHELL = "),
            head.hasSuffix(";"),
            let shell = try? JSONDecoder().decode(Shell.self, from: Data(head.dropFirst(14).dropLast().utf8))
        else { return ["\(path) differs from the release."] }
        var found: [String] = []
        if let root = shell.root, root != scope.path {
            found.append("\(path) uses addresses below “\(root)”, which isn’t the path of this server.")
        }
        for asset in shell.assets where releasedFile(at: asset) == nil {
            found.append("\(path) keeps \(asset), which isn’t in the release.")
        }
        for address in shell.offline.values.sorted() {
            if let page = scope.removingPath(from: address) {
                found += try await differences(onPage: page, loading: [])
            } else {
                found.append("\(path) keeps \(address), which isn’t in the release.")
            }
        }
        return found
    }

    /// The file of the release to which an address leads, and its folder; `nil` if it leads elsewhere.
    private func releasedFile(at address: String) -> (folder: String, name: String)? {
        let parts = scope.removingPath(from: address)?
            .wholeMatch(of: /(\/assets\/v\/[0-9a-f]+)\/([^\/]+)/)?.output
        guard let parts, hashes[String(parts.2)] != nil else { return nil }
        return (String(parts.1), String(parts.2))
    }

    /// Scripts put the `data-root` of `<html>` before the addresses of their requests. Browsers add the attributes of a
    /// second such tag to the first one.
    private func differences(inRootTagsOf text: String, at path: String) -> [String] {
        let tags = text.matches(of: Self.rootTag).map { String($0.output) }
        if tags.count == 1, let (_, root) = tags[0].wholeMatch(of: Self.ownRootTag)?.output,
            String(root ?? "") == scope.path
        {
            return []
        }
        return ["\(path) has a tag <html> that isn’t the one of the release: \(tags.joined(separator: " "))"]
    }

    private func differences(ofFile name: String, at path: String) async throws -> [String] {
        do {
            let body = try await exchange.send(path).body
            return SHA256.hash(data: body).hexadecimal == hashes[name] ? [] : ["\(path) differs from the release."]
        } catch ClientError.rejected {
            return ["\(path) is missing."]
        }
    }

    private static func differences(inHeaders headers: [String: String], of path: String) -> [String] {
        var found: [String] = []
        if headers["content-type"] != "text/html; charset=utf-8" {
            found.append("\(path) isn’t a page in UTF-8.")
        }
        // The origin of pictures is a setting.
        let policy =
            #/default-src 'self'; img-src 'self' data:( https?://[\w.:-]+)?; frame-ancestors 'none'; base-uri 'none'; form-action 'self'/#
        if headers["content-security-policy"]?.wholeMatch(of: policy) == nil {
            found.append("\(path) has another content security policy than the release.")
        }
        for name in ["link", "refresh"] where headers[name] != nil {
            found.append("\(path) has the header field \(name), which the release doesn’t send.")
        }
        return found
    }

    /// The first line of the service worker.
    private struct Shell: Decodable {
        /// Put before the addresses that it opens; `nil` in releases that do not.
        let root: String?
        let assets: [String]
        /// Pages by language.
        let offline: [String: String]
    }

    /// Tags that load something, or lead elsewhere.
    private static var loadingTag: Regex<Substring> {
        #/<(?:script|link|iframe|frame|frameset|object|embed|base|meta\s[^>]*http-equiv)\b[^>]*>/#.ignoresCase()
    }

    /// Exactly as pages of the release write them: what a browser makes of other spellings is hard to foresee.
    private static var ownTag: Regex<(Substring, Substring)> {
        #/<(?:script type="module" src|link rel="stylesheet" href)="([^"]+)"(?: blocking="render")?>/#
    }

    private static var harmlessTag: Regex<Substring> {
        #/<link rel="(?:icon|apple-touch-icon|manifest|expect)" [^>]*>/#
    }

    private static var rootTag: Regex<Substring> {
        #/<html\b[^>]*>/#.ignoresCase()
    }

    /// As pages of the release write it.
    private static var ownRootTag: Regex<(Substring, Substring?)> {
        #/<html lang="[a-z]+"(?: dir="rtl")?(?: data-theme="[a-z]+")?(?: data-root="([^"]*)")?>/#
    }
}
