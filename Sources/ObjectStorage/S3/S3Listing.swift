import Foundation
import Shared

/// An answer to `ListObjectsV2` (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
struct S3Listing: Equatable, Sendable {
    /// Those with a key of ours, in order. What somebody else put into the bucket is not our business.
    let objects: [ObjectListing]
    /// Where the list goes on, if it does.
    let continuation: String?

    /// `nil` for what is no such answer.
    init?(_ body: [UInt8]) {
        guard let document = S3Document.parse(body), document.name == "ListBucketResult" else { return nil }
        objects = document.children.filter { $0.name == "Contents" }.compactMap(Self.object)
        continuation = document["IsTruncated"] == "true" ? document["NextContinuationToken"] : nil
    }

    private static func object(_ element: S3Document) -> ObjectListing? {
        // Encoded, since we ask for `encoding-type=url`: XML cannot hold every key there is.
        guard let key = element["Key"]?.removingPercentEncoding.flatMap({ ObjectKey($0) }),
            let size = element["Size"].flatMap({ Int($0) }),
            let time = element["LastModified"].flatMap({ try? Date.ISO8601FormatStyle().parse($0) })
        else { return nil }
        return ObjectListing(key: key, modifiedAt: time, size: size)
    }
}
