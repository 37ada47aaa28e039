import Foundation

/// A bucket with its address and our credentials.
package struct S3Settings: Sendable {
    /// Where a request names its bucket (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html).
    package enum Addressing: String, Sendable, CaseIterable {
        /// First part of the path, as most stores other than Amazon's expect.
        case path
        /// First label of the host, as Amazon expects.
        case host
    }

    /// Scheme, host and port for requests, without the bucket and without a trailing slash.
    package let endpoint: String
    /// The same for links, if browsers reach the store under another name than we do.
    package let publicEndpoint: String
    /// The region in signatures.
    package let region: String
    /// The bucket's name.
    package let bucket: String
    /// Where requests and links name the bucket.
    package let addressing: Addressing
    /// Our access key.
    package let credentials: S3Credentials

    /// Takes validated values.
    /// - Parameters:
    ///   - endpoint: scheme, host and port, in lower case.
    ///   - publicEndpoint: equals `endpoint` if `nil`.
    package init(
        endpoint: String, publicEndpoint: String? = nil, region: String, bucket: String, addressing: Addressing,
        credentials: S3Credentials
    ) {
        self.endpoint = endpoint
        self.publicEndpoint = publicEndpoint ?? endpoint
        self.region = region
        self.bucket = bucket
        self.addressing = addressing
        self.credentials = credentials
    }

    /// Scheme, host and port of a link.
    package var linkOrigin: String { origin(of: publicEndpoint) }

    /// Scheme, host and port of a request to an endpoint, with the bucket in the host if `addressing` requires it.
    package func origin(of endpoint: String) -> String {
        switch addressing {
        case .path: endpoint
        case .host: endpoint.replacing("://", with: "://\(bucket).", maxReplacements: 1)
        }
    }

    init(reader: SettingsReader, isNeeded: Bool) throws {
        let region = reader.text("S3_REGION", default: "us-east-1")
        guard region.wholeMatch(of: /[A-Za-z0-9\-]{1,64}/) != nil else {
            throw SettingsError(key: "S3_REGION", expectation: "a region, like eu-central-1")
        }
        let given = reader.optionalText("S3_ENDPOINT")
        // Regions in China belong to another partition, with a domain of its own
        // (https://docs.aws.amazon.com/general/latest/gr/s3.html).
        let suffix = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let standard = "https://s3.\(region).\(suffix)"
        let endpoint = try Self.endpoint("S3_ENDPOINT", reader: reader, default: standard)
        let isAmazon = given == nil || (URLComponents(string: endpoint)?.host).map(Self.isAmazon) == true
        let bucket = try Self.bucket(reader: reader, isNeeded: isNeeded)
        // Amazon's certificate covers one label below its host, so it does not match a bucket with a dot.
        let isLabel = bucket.wholeMatch(of: /[a-z0-9\-]+/) != nil
        let addressing = try reader.choice("S3_ADDRESSING", default: isAmazon && isLabel ? Addressing.host : .path)
        guard addressing == .path || !isNeeded || bucket.wholeMatch(of: /[a-z0-9.\-]+/) != nil else {
            throw SettingsError(key: "S3_ADDRESSING", expectation: "path for a bucket whose name cannot be in a host's")
        }
        self.init(
            endpoint: endpoint,
            publicEndpoint: try Self.endpoint("S3_PUBLIC_ENDPOINT", reader: reader, default: endpoint),
            region: region,
            bucket: bucket,
            addressing: addressing,
            credentials: try S3Credentials(reader: reader, isNeeded: isNeeded))
    }

    private static func isAmazon(_ host: String) -> Bool {
        [".amazonaws.com", ".amazonaws.com.cn"].contains { host.hasSuffix($0) }
    }

    /// Rejects a path: stores sign paths from the root, and none of the supported ones is served below one.
    private static func endpoint(_ key: String, reader: SettingsReader, default standard: String) throws -> String {
        let url = try reader.baseURL(key, default: standard)
        guard url.wholeMatch(of: /https?:\/\/([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/) != nil else {
            throw SettingsError(key: key, expectation: "scheme, host and port without a path, like \(standard)")
        }
        return withoutStandardPort(url.lowercased())
    }

    /// The host is signed as sent, and clients omit the scheme's default port.
    private static func withoutStandardPort(_ url: String) -> String {
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where url.hasPrefix(scheme) && url.hasSuffix(port) {
            return String(url.dropLast(port.count))
        }
        return url
    }

    /// Amazon's rule for names (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html), plus
    /// capitals and `_`, which other stores accept.
    private static func bucket(reader: SettingsReader, isNeeded: Bool) throws -> String {
        let name = reader.text("S3_BUCKET", default: "")
        let isName = name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{1,61}[A-Za-z0-9]/) != nil
        guard isName || (name.isEmpty && !isNeeded) else {
            throw SettingsError(
                key: "S3_BUCKET", expectation: "a bucket's name: 3 to 63 letters, digits, dots and hyphens")
        }
        return name
    }
}

/// Our credentials for an object store.
package struct S3Credentials: Sendable, Equatable {
    /// Names the key; not secret.
    package let accessKeyID: String
    /// Signs requests.
    package let secretAccessKey: SecretText
    /// For a temporary key, as issued by AWS STS.
    package let sessionToken: SecretText?

    /// Takes the parts of one access key.
    package init(accessKeyID: String, secretAccessKey: SecretText, sessionToken: SecretText? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    init(reader: SettingsReader, isNeeded: Bool) throws {
        let id = reader.text("S3_ACCESS_KEY_ID", default: "")
        // It is written into a header between `/` and `,`; Swift's own ids contain a colon.
        guard id.wholeMatch(of: /[A-Za-z0-9._:@+=\-]{1,256}/) != nil || (id.isEmpty && !isNeeded) else {
            throw SettingsError(key: "S3_ACCESS_KEY_ID", expectation: "the id of an access key")
        }
        let secret = reader.text("S3_SECRET_ACCESS_KEY", default: "", isSecret: true)
        guard !secret.isEmpty || !isNeeded else {
            throw SettingsError(key: "S3_SECRET_ACCESS_KEY", expectation: "set for OBJECT_STORE=s3")
        }
        let token = reader.optionalText("S3_SESSION_TOKEN", isSecret: true)
        guard token?.wholeMatch(of: /[!-~]+/) != nil || token == nil else {
            throw SettingsError(key: "S3_SESSION_TOKEN", expectation: "one line without spaces")
        }
        self.init(
            accessKeyID: id, secretAccessKey: SecretText(secret), sessionToken: token.map { SecretText($0) })
    }
}
