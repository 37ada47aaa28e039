extension BSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An `int64` whatever its magnitude, so that a field keeps one type.
    public init(integerLiteral value: Int64) { self = .int64(value) }

    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A bool.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An array.
    public init(arrayLiteral elements: BSONValue...) { self = .array(elements) }

    /// A nested document, with the fields in the order written.
    public init(dictionaryLiteral elements: (String, BSONValue)...) {
        var document = BSONDocument()
        for (key, value) in elements { document.append(key, value) }
        self = .document(document)
    }

    /// The null value.
    public init(nilLiteral: ()) { self = .null }
}

extension BSONValue {
    /// A number as `int64`.
    public static func int(_ number: Int) -> BSONValue { .int64(Int64(number)) }
}
