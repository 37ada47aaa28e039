import Domain
import Foundation
import Ports

/// An answer to `ListObjectsV2` (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
struct S3Listing: Equatable, Sendable {
    /// Objects whose keys are ours, in order. Other objects in the bucket are ignored.
    let objects: [ObjectListing]
    /// Token for the next page; `nil` on the last one.
    let continuation: String?

    /// `nil` if the body is not such a response.
    init?(_ body: [UInt8]) {
        guard let document = S3Document.parse(body), document.name == "ListBucketResult" else { return nil }
        objects = document.children.filter { $0.name == "Contents" }.compactMap(Self.object)
        continuation = document["IsTruncated"] == "true" ? document["NextContinuationToken"] : nil
    }

    private static func object(_ element: S3Document) -> ObjectListing? {
        // Percent-encoded, since we request `encoding-type=url`: XML cannot contain every possible key.
        guard let key = element["Key"]?.removingPercentEncoding.flatMap({ ObjectKey($0) }),
            let size = element["Size"].flatMap({ Int($0) }),
            let time = element["LastModified"].flatMap({ try? Date.ISO8601FormatStyle().parse($0) })
        else { return nil }
        return ObjectListing(key: key, modifiedAt: time, size: size)
    }
}
