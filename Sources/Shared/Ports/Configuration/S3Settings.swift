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
    /// The setting that names the bucket, for messages.
    package let bucketSetting: String
    /// Where requests and links name the bucket.
    package let addressing: Addressing
    /// Our access key.
    package let credentials: S3Credentials

    /// Takes validated values.
    /// - Parameters:
    ///   - endpoint: scheme, host and port, in lower case.
    ///   - publicEndpoint: equals `endpoint` if `nil`.
    package init(
        endpoint: String, publicEndpoint: String? = nil, region: String, bucket: String,
        bucketSetting: String = "S3_BUCKET", addressing: Addressing, credentials: S3Credentials
    ) {
        self.endpoint = endpoint
        self.publicEndpoint = publicEndpoint ?? endpoint
        self.region = region
        self.bucket = bucket
        self.bucketSetting = bucketSetting
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

    /// - Parameters:
    ///   - bucketSetting: names the bucket; everything else is the same for all buckets.
    ///   - isNeeded: rejects missing values.
    init(reader: SettingsReader, bucketSetting: String, isNeeded: Bool) {
        let region = reader.text("S3_REGION", default: "us-east-1")
        if region.wholeMatch(of: /[A-Za-z0-9\-]{1,64}/) == nil {
            reader.refuse("S3_REGION", expectation: "a region, like eu-central-1")
        }
        let given = reader.optionalText("S3_ENDPOINT")
        // Regions in China belong to another partition, with a domain of its own
        // (https://docs.aws.amazon.com/general/latest/gr/s3.html).
        let suffix = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let standard = "https://s3.\(region).\(suffix)"
        let endpoint = Self.endpoint("S3_ENDPOINT", reader: reader, default: standard)
        let host = URLComponents(string: endpoint)?.host ?? ""
        let isAmazon = given == nil || Self.isAmazon(host)
        let bucket = Self.bucket(bucketSetting, reader: reader, isNeeded: isNeeded)
        if isAmazon, !bucket.isEmpty, host.hasPrefix("\(bucket.lowercased()).") {
            reader.refuse(
                "S3_ENDPOINT", expectation: "the store's host without the bucket, like \(standard): requests add it")
        }
        // Amazon's certificate covers one label below its host, so it does not match a bucket with a dot.
        let isLabel = bucket.wholeMatch(of: /[a-z0-9\-]+/) != nil
        let addressing = reader.choice("S3_ADDRESSING", default: isAmazon && isLabel ? Addressing.host : .path)
        if addressing == .host, isNeeded, bucket.wholeMatch(of: /[a-z0-9.\-]+/) == nil {
            reader.refuse("S3_ADDRESSING", expectation: "path for a bucket whose name cannot be in a host's")
        }
        self.init(
            endpoint: endpoint,
            publicEndpoint: Self.endpoint("S3_PUBLIC_ENDPOINT", reader: reader, default: endpoint),
            region: region,
            bucket: bucket,
            bucketSetting: bucketSetting,
            addressing: addressing,
            credentials: S3Credentials(reader: reader, isNeeded: isNeeded))
    }

    private static func isAmazon(_ host: String) -> Bool {
        [".amazonaws.com", ".amazonaws.com.cn"].contains { host.hasSuffix($0) }
    }

    /// Rejects a path: stores sign paths from the root, and none of the supported ones is served below one.
    private static func endpoint(_ key: String, reader: SettingsReader, default standard: String) -> String {
        withoutStandardPort(reader.baseURL(key, default: standard, path: .empty).lowercased())
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
    private static func bucket(_ key: String, reader: SettingsReader, isNeeded: Bool) -> String {
        let name = reader.text(key, default: "")
        let isName = name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{1,61}[A-Za-z0-9]/) != nil
        if !isName, isNeeded || !name.isEmpty {
            reader.refuse(
                key, expectation: "a bucket's name without s3:// and path: 3 to 63 letters, digits, dots and hyphens")
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

    init(reader: SettingsReader, isNeeded: Bool) {
        let id = reader.text("S3_ACCESS_KEY_ID", default: "")
        // It is written into a header between `/` and `,`; Swift's own ids contain a colon.
        if id.wholeMatch(of: /[A-Za-z0-9._:@+=\-]{1,256}/) == nil, isNeeded || !id.isEmpty {
            reader.refuse("S3_ACCESS_KEY_ID", expectation: "the id of an access key")
        }
        let secret = reader.text("S3_SECRET_ACCESS_KEY", default: "", isSecret: true)
        if isNeeded, secret.isEmpty {
            reader.refuse("S3_SECRET_ACCESS_KEY", expectation: "set for a bucket")
        }
        let token = reader.optionalText("S3_SESSION_TOKEN", isSecret: true)
        if let token, token.wholeMatch(of: /[!-~]+/) == nil {
            reader.refuse("S3_SESSION_TOKEN", expectation: "one line without spaces")
        }
        self.init(
            accessKeyID: id, secretAccessKey: SecretText(secret), sessionToken: token.map { SecretText($0) })
    }
}
