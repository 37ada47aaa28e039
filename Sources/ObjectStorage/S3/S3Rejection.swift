import Foundation
import NIOHTTP1

/// An error response, judged by the store's error code first and by the status second
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
///
/// The store's message is never repeated: for a wrong signature it contains the whole request.
struct S3Rejection {
    private let response: S3Response
    private let document: S3Document?
    private let bucketSetting: String
    private let now: Date

    /// - Parameter bucketSetting: as `S3Settings.bucketSetting`.
    init(_ response: S3Response, bucketSetting: String, at now: Date) {
        self.bucketSetting = bucketSetting
        self.response = response
        self.now = now
        document = S3Document.parse(response.body).flatMap { $0.name == "Error" ? $0 : nil }
    }

    /// The object does not exist, which is not an error.
    var isMissingObject: Bool { response.status == 404 && code == "NoSuchKey" }

    /// The resulting error.
    var failure: S3Failure {
        switch code {
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "OperationAborted", "TooManyRequests":
            busy
        // The body was truncated or changed in transit.
        case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody":
            .passing("The object store got something else than was sent \(mark)")
        case "InvalidAccessKeyId":
            .misconfigured("The object store does not know the key in S3_ACCESS_KEY_ID \(mark)")
        case "SignatureDoesNotMatch":
            .misconfigured(
                "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY do not belong together, or a proxy changes requests on the way "
                    + mark)
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
            .misconfigured("S3_SESSION_TOKEN has ended, or does not belong to S3_ACCESS_KEY_ID \(mark)")
        case "NoSuchBucket": .misconfigured("The object store has no bucket of the name in \(bucketSetting) \(mark)")
        case "InvalidBucketName":
            .misconfigured("The object store takes no bucket of the name in \(bucketSetting) \(mark)")
        case "AccessDenied", "AllAccessDisabled", "AccountProblem", "InvalidObjectState": forbidden
        case "RequestTimeTooSkewed", "RequestExpired", "RequestNotYetValid": skewed
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "Redirect",
            "IllegalLocationConstraintException", "AuthorizationQueryParametersError":
            wrongRegion
        case "EntityTooLarge", "QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "TooManyBuckets": full
        case nil: failureByStatus
        default:
            response.status >= 500
                ? busy : .misconfigured("The object store refuses what it was asked \(mark)")
        }
    }

    private var failureByStatus: S3Failure {
        switch response.status {
        case 413, 507: full
        case 408, 429, 500...599: busy
        // A redirect without a document: a response like that to `HEAD`, or not from a store at all.
        case 300...399: wrongRegion
        default:
            .misconfigured("S3_ENDPOINT does not look like an S3 service: its error is not one of S3 \(mark)")
        }
    }

    private var busy: S3Failure {
        .passing("The object store is busy or has a problem \(mark)", retryAfter: response.wait(at: now))
    }

    private var full: S3Failure {
        .lasting("The object store is full, or what S3_ACCESS_KEY_ID may store is used up \(mark)")
    }

    private var forbidden: S3Failure {
        .misconfigured(
            "S3_ACCESS_KEY_ID has not the rights it needs on the bucket in \(bucketSetting), which are to list it (s3:ListBucket) "
                + "and to get, put and delete its objects \(mark)")
    }

    private var skewed: S3Failure {
        let differs = "This machine's clock differs from the object store's"
        guard let seconds = response.clockDifference(at: now), seconds != 0 else {
            return .misconfigured("\(differs) by more than 15 minutes \(mark)")
        }
        return .misconfigured("\(differs): it is \(abs(seconds)) s \(seconds > 0 ? "slow" : "fast") \(mark)")
    }

    private var wrongRegion: S3Failure {
        if let region {
            return .misconfigured("S3_REGION must be \(region), where the bucket in \(bucketSetting) is \(mark)")
        }
        if (300...399).contains(response.status) {
            return .misconfigured(
                "S3_ENDPOINT leads elsewhere: it must be the store's own, of the bucket's region \(mark)")
        }
        return .misconfigured("S3_REGION is not the object store's region \(mark)")
    }

    /// The region named by the store, in a field of the error or in a header.
    private var region: String? {
        [document?["Region"], response.headers.first(name: "x-amz-bucket-region")].compactMap { $0 }
            .first { $0.wholeMatch(of: /[A-Za-z0-9\-]{1,64}/) != nil }
    }

    /// Error codes are words without spaces; anything else is kept out of messages.
    private var code: String? { document?["Code"].flatMap { $0.wholeMatch(of: /[A-Za-z0-9]{1,64}/) == nil ? nil : $0 } }

    private var mark: String { "(\(response.status)\(code.map { " \($0)" } ?? ""))" }
}
