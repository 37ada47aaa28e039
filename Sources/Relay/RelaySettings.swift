import Configuration
import Foundation

/// The settings of the relay, from the environment.
struct RelaySettings: Sendable {
    /// The API, such as `https://happiness.example.org`.
    let gateway: String
    /// The address on which it listens.
    let host: String
    let port: Int
    let mix: MixSettings

    /// A setting is missing or not valid.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Invalid`.
    init(_ reader: ConfigReader) throws(Invalid) {
        guard let text = reader.string(forKey: "gateway.url"), let url = URL(string: text),
            ["http", "https"].contains(url.scheme), url.host() != nil, url.query() == nil, url.fragment() == nil
        else {
            throw Invalid(
                description:
                    "GATEWAY_URL must be the address of Happiness Metric, such as https://happiness.example.org.")
        }
        gateway = text.hasSuffix("/") ? String(text.dropLast()) : text
        host = reader.string(forKey: "host", default: "127.0.0.1")
        port = try Self.integer(reader, "PORT", default: 8090, in: 0...65_535)
        mix = MixSettings(
            count: try Self.integer(reader, "MIX_COUNT", default: 100, in: 1...10_000),
            interval: .seconds(try Self.integer(reader, "MIX_SECONDS", default: 86_400, in: 1...2_678_400)))
    }

    /// The origin of the web app, whose scripts may use the relay (RFC 6454).
    var origin: String {
        guard let url = URL(string: gateway), let scheme = url.scheme, let host = url.host() else { return gateway }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }

    private static func integer(
        _ reader: ConfigReader, _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws(Invalid) -> Int {
        guard let text = reader.string(forKey: ConfigKey(name.lowercased().split(separator: "_").map(String.init)))
        else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw Invalid(
                description: "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }
}
