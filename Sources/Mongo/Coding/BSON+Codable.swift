/// `BSONEncoder` and `BSONDecoder` copy documents and values nested in other types; other coders do not support them.
extension BSONDocument: Codable {
    /// - Throws: `DecodingError` with any decoder except `BSONDecoder`, which bypasses this method.
    public init(from decoder: any Decoder) throws {
        guard let element = decoder as? ElementDecoder else { throw foreignDecoder(decoder) }
        guard let document = BSONValue(element.element, in: element.bytes).documentValue else {
            throw element.mismatch(BSONDocument.self)
        }
        self = document
    }

    /// - Throws: `EncodingError` with any encoder except `BSONEncoder`, which bypasses this method.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? FrameEncoder else { throw foreignEncoder(encoder, value: self) }
        encoder.frame.become(.document(self))
    }
}

extension BSONValue: Codable {
    /// - Throws: `DecodingError`, unless decoded by `BSONDecoder`.
    public init(from decoder: any Decoder) throws {
        guard let element = decoder as? ElementDecoder else { throw foreignDecoder(decoder) }
        self.init(element.element, in: element.bytes)
    }

    /// - Throws: `EncodingError`, unless encoded by `BSONEncoder`.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? FrameEncoder else { throw foreignEncoder(encoder, value: self) }
        encoder.frame.become(self)
    }
}

private func foreignDecoder(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "BSON is decoded by BSONDecoder only"))
}

private func foreignEncoder(_ encoder: any Encoder, value: Any) -> EncodingError {
    let reason = "BSON is encoded by BSONEncoder only"
    return .invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: reason))
}
