import Foundation
import Ports
import Services
import TestSupport
import Testing

/// Compares `.env.example` with the existing settings.
@Suite struct EnvExampleTests {
    @Test func `The example lists every setting and no other`() throws {
        #expect(Set(try Self.lines().map(\.key)) == Settings.keys)
    }

    @Test func `Every setting is listed once`() throws {
        let keys = try Self.lines().map(\.key)
        #expect(keys.count == Set(keys).count)
    }

    /// Other readers of such files differ in quotes, and our own rejects a comment after a value.
    @Test func `Values have no quotes, and no comments after them`() throws {
        for line in try Self.lines() {
            #expect(!line.value.contains("\"") && !line.value.contains("#"), "\(line.key)")
        }
    }

    @Test func `The example as it is changes no default`() throws {
        let values = Dictionary(uniqueKeysWithValues: try Self.lines().map { ($0.key, $0.value) })
        let example = try Settings(values: values)
        let standard = try Settings(values: [:])
        #expect(example.server.host == standard.server.host)
        #expect(example.server.port == standard.server.port)
        #expect(example.server.publicURL == standard.server.publicURL)
        #expect(example.server.metricsPort == standard.server.metricsPort)
        #expect(example.server.trustedProxies == standard.server.trustedProxies)
        #expect(example.workerMetricsPort == standard.workerMetricsPort)
        #expect(example.dataDirectory == standard.dataDirectory)
        #expect(example.store == standard.store)
        #expect(example.logLevel == standard.logLevel)
        #expect(example.accounts.bcryptCost == standard.accounts.bcryptCost)
        #expect(example.accounts.bcryptThreads == standard.accounts.bcryptThreads)
        #expect(example.accounts.classicTokenDays == standard.accounts.classicTokenDays)
        #expect(example.accounts.passwordPolicy == standard.accounts.passwordPolicy)
        #expect(example.push.drivers == standard.push.drivers)
        #expect(example.push.rate == standard.push.rate)
        #expect(String(describing: example.objects.driver) == String(describing: standard.objects.driver))
        #expect(example.mail.from == standard.mail.from)
        #expect(String(describing: example.mail.driver) == String(describing: standard.mail.driver))
    }

    /// The example's settings, which are commented out: `#KEY=value`, without a space after the hash.
    private static func lines() throws -> [(key: String, value: String)] {
        try Repository.text(".env.example").split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /#?([A-Z][A-Z0-9_]*)=(.*)/) else { return nil }
            return (String(match.1), String(match.2))
        }
    }
}
