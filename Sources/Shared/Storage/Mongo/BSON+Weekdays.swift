import Domain
import Mongo

extension BSONValue {
    /// An array of names, in order.
    static func weekdays(_ days: Set<Weekday>) -> BSONValue {
        .array(days.sorted().map { .string($0.rawValue) })
    }
}

extension BSONDocument {
    /// Parses the result of `BSONValue.weekdays`.
    /// - Throws: an error that names the field, if it is missing or holds anything else.
    func weekdays(_ field: String) throws -> Set<Weekday> {
        Set(try list(field) { value in value.stringValue.flatMap(Weekday.init(rawValue:)) })
    }
}
