extension BSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }

    /// An `int64` whatever its magnitude, so that a field keeps one type.
    package init(integerLiteral value: Int64) { self = .int64(value) }

    /// A double.
    package init(floatLiteral value: Double) { self = .double(value) }

    /// A bool.
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An array.
    package init(arrayLiteral elements: BSONValue...) { self = .array(elements) }

    /// A nested document, with the fields in the order written.
    package init(dictionaryLiteral elements: (String, BSONValue)...) {
        var document = BSONDocument()
        for (key, value) in elements { document.append(key, value) }
        self = .document(document)
    }

    /// The null value.
    package init(nilLiteral: ()) { self = .null }
}

extension BSONValue {
    /// A number as `int64`.
    package static func int(_ number: Int) -> BSONValue { .int64(Int64(number)) }
}
