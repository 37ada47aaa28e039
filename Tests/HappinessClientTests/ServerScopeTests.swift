import Foundation
import Testing

@testable import HappinessClient

@Suite struct ServerScopeTests {
    private func scope(of address: String) throws -> ServerScope {
        ServerScope(server: HappinessServer(address: try #require(URL(string: address))).address)
    }

    @Test(arguments: [
        "https://intranet.example.org/mood", "https://intranet.example.org/mood/",
        "https://intranet.example.org/mood/login?next=/teams/1f0c", "https://intranet.example.org/mood?language=de",
    ])
    func `A redirect at or below the path is followed`(target: String) throws {
        let scope = try scope(of: "https://intranet.example.org/mood")
        let url = try #require(URL(string: target))
        #expect(scope.contains(url))
    }

    @Test(arguments: [
        "https://intranet.example.org", "https://intranet.example.org/", "https://intranet.example.org/login",
        "https://intranet.example.org/moody/login", "https://intranet.example.org/Mood/login",
        "https://intranet.example.org/wiki/mood/login", "https://intranet.example.org//mood/login",
        "https://intranet.example.org/mood/../wiki", "https://intranet.example.org/mood/%2e%2e/wiki",
        "http://intranet.example.org/mood/login", "https://intranet.example.org:8443/mood/login",
        "https://example.org/mood/login",
    ])
    func `A redirect to anything beside the path is not followed`(target: String) throws {
        let scope = try scope(of: "https://intranet.example.org/mood")
        let url = try #require(URL(string: target))
        #expect(!scope.contains(url))
    }

    @Test func `Without a path, every redirect within the host is followed`() throws {
        let scope = try scope(of: "https://happiness.example.org/")
        for target in ["https://happiness.example.org", "https://happiness.example.org/login"] {
            let url = try #require(URL(string: target))
            #expect(scope.contains(url))
        }
        let other = try #require(URL(string: "https://example.org/login"))
        #expect(!scope.contains(other))
    }

    @Test func `The path is taken off addresses of the installation`() throws {
        let below = try scope(of: "https://intranet.example.org/mood/")
        #expect(below.path == "/mood")
        #expect(below.removingPath(from: "/mood") == "/")
        #expect(below.removingPath(from: "/mood/") == "/")
        #expect(below.removingPath(from: "/mood?language=de") == "/?language=de")
        #expect(below.removingPath(from: "/mood/assets/v/1f0c/app.js") == "/assets/v/1f0c/app.js")
        let root = try scope(of: "https://happiness.example.org")
        #expect(root.path.isEmpty)
        #expect(root.removingPath(from: "/offline?language=de") == "/offline?language=de")
    }

    @Test(arguments: [
        "", "/", "/assets/v/1f0c/app.js", "/moody/app.js", "//mood/app.js", "/mood//example.org/app.js",
        "/mood/../app.js", "/mood/.%2e/app.js", "/mood/..\\app.js", "/mood/.\t./app.js", "mood/app.js",
        "https://intranet.example.org/mood/app.js", "/mood.example.org/app.js",
    ])
    func `Other addresses are not of the installation`(address: String) throws {
        let scope = try scope(of: "https://intranet.example.org/mood")
        #expect(scope.removingPath(from: address) == nil)
    }
}
