package import HTTPTypes

/// Requests and responses as single byte strings (RFC 9292).
///
/// Messages are written with known lengths. Both kinds are read, and trailers and informational responses are skipped:
/// the API has no use for them.
package enum BinaryHTTP {
    /// Framing indicators (RFC 9292 §3.3).
    private enum Framing {
        static let knownLengthRequest = 0
        static let knownLengthResponse = 1
        static let indeterminateRequest = 2
        static let indeterminateResponse = 3
    }

    // MARK: Requests

    /// - Parameters:
    ///   - request: its pseudo header fields that are not set become empty.
    ///   - paddedTo: the size of the result in bytes, with zeros at the end (RFC 9292 §3.8). A longer message is not
    ///     padded.
    package static func encode(
        _ request: HTTPRequest, content: [UInt8] = [], paddedTo size: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(variableInteger: Framing.knownLengthRequest)
        for part in [request.method.rawValue, request.scheme ?? "", request.authority ?? "", request.path ?? ""] {
            bytes.append(counted: Array(part.utf8))
        }
        return finish(&bytes, request.headerFields, content, size)
    }

    /// - Throws: `ObliviousHTTPError.malformed`.
    package static func decodeRequest(
        _ bytes: some Sequence<UInt8>
    ) throws(ObliviousHTTPError) -> (request: HTTPRequest, content: [UInt8]) {
        var reader = ByteReader(bytes)
        let framing = try reader.variableInteger()
        guard framing == Framing.knownLengthRequest || framing == Framing.indeterminateRequest,
            let method = HTTPRequest.Method(String(decoding: try reader.counted(), as: UTF8.self))
        else { throw .malformed }
        let scheme = try reader.text()
        let authority = try reader.text()
        let path = try reader.text()
        let isKnown = framing == Framing.knownLengthRequest
        let fields = try reader.fields(isKnownLength: isKnown)
        let content = try reader.end(isKnownLength: isKnown)
        return (
            HTTPRequest(method: method, scheme: scheme, authority: authority, path: path, headerFields: fields),
            content
        )
    }

    // MARK: Responses

    /// - Parameters:
    ///   - response: a final one.
    ///   - paddedTo: the size of the result in bytes. A longer message is padded to the next multiple of it.
    package static func encode(
        _ response: HTTPResponse, content: [UInt8] = [], paddedTo size: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(variableInteger: Framing.knownLengthResponse)
        bytes.append(variableInteger: response.status.code)
        return finish(&bytes, response.headerFields, content, size)
    }

    /// - Throws: `ObliviousHTTPError.malformed`.
    package static func decodeResponse(
        _ bytes: some Sequence<UInt8>
    ) throws(ObliviousHTTPError) -> (response: HTTPResponse, content: [UInt8]) {
        var reader = ByteReader(bytes)
        let framing = try reader.variableInteger()
        guard framing == Framing.knownLengthResponse || framing == Framing.indeterminateResponse else {
            throw .malformed
        }
        let isKnown = framing == Framing.knownLengthResponse
        var status = try reader.variableInteger()
        while (100..<200).contains(status) {
            _ = try reader.fields(isKnownLength: isKnown)
            status = try reader.variableInteger()
        }
        guard (200..<600).contains(status) else { throw .malformed }
        let fields = try reader.fields(isKnownLength: isKnown)
        let content = try reader.end(isKnownLength: isKnown)
        return (HTTPResponse(status: .init(code: status), headerFields: fields), content)
    }

    // MARK: -

    /// Appends header fields, content and padding.
    private static func finish(
        _ bytes: inout [UInt8], _ fields: HTTPFields, _ content: [UInt8], _ size: Int
    ) -> [UInt8] {
        var section: [UInt8] = []
        for field in fields {
            section.append(counted: Array(field.name.canonicalName.utf8))
            section.append(counted: Array(field.value.utf8))
        }
        bytes.append(counted: section)
        bytes.append(counted: content)
        // No trailers.
        bytes.append(0)
        guard size > 0 else { return bytes }
        return bytes + Array(repeating: 0, count: (size - bytes.count % size) % size)
    }
}

extension ByteReader {
    fileprivate mutating func text() throws(ObliviousHTTPError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw .malformed }
        return text
    }

    /// A section of header fields. It may be missing at the end of a message, which is then cut short (§3.8).
    fileprivate mutating func fields(isKnownLength: Bool) throws(ObliviousHTTPError) -> HTTPFields {
        var fields = HTTPFields()
        guard !isAtEnd else { return fields }
        if isKnownLength {
            var section = ByteReader(try counted())
            while !section.isAtEnd { fields.append(try section.field(named: try section.counted())) }
        } else {
            // A name of no bytes ends the section.
            while true {
                let name = try counted()
                if name.isEmpty { break }
                fields.append(try field(named: name))
            }
        }
        return fields
    }

    private mutating func field(named name: ArraySlice<UInt8>) throws(ObliviousHTTPError) -> HTTPField {
        // Upper case, line ends and NUL are what a smuggled field would need (RFC 9113 §8.2.1).
        guard let text = String(validating: name, as: UTF8.self), text == text.lowercased(),
            let name = HTTPField.Name(text), let value = String(validating: try counted(), as: UTF8.self),
            HTTPField.isValidValue(value)
        else { throw .malformed }
        return HTTPField(name: name, value: value)
    }

    /// Content, trailers and padding.
    /// - Returns: the content.
    fileprivate mutating func end(isKnownLength: Bool) throws(ObliviousHTTPError) -> [UInt8] {
        var content: [UInt8] = []
        if isKnownLength {
            if !isAtEnd { content = Array(try counted()) }
        } else {
            while !isAtEnd {
                let chunk = try counted()
                if chunk.isEmpty { break }
                content += chunk
            }
        }
        _ = try fields(isKnownLength: isKnownLength)
        guard remaining().allSatisfy({ $0 == 0 }) else { throw .malformed }
        return content
    }
}
