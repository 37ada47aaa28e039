/// The document, array or value one `Encodable` is writing. Only one thread ever sees it.
///
/// Fields go straight into the bytes. Values of other types get a frame of their own, whose bytes are appended once
/// they are complete; containers opened by hand may be written to until the end, so `finish` appends those.
final class EncodingFrame {
    private enum Shape {
        case undecided, document, array
        case single(BSONValue)
    }

    private var shape = Shape.undecided
    /// The length, still zero, and the elements, without a terminator so far.
    private var bytes: [UInt8] = [0, 0, 0, 0]
    private var open: [(key: String, frame: EncodingFrame)] = []
    /// Number of array elements so far, including those in `open`.
    private(set) var count = 0

    func becomeDocument() { shape = .document }

    func becomeArray() { shape = .array }

    func become(_ value: BSONValue) { shape = .single(value) }

    func write(_ value: BSONValue, key: String, path: @autoclosure () -> [any CodingKey]) throws {
        try Self.check(key, value, path: path())
        bytes.appendElement(key: key, value)
        count += 1
    }

    /// A frame that can be written to until `finish`; its place in an array is reserved immediately.
    func reserve(key: String) -> EncodingFrame {
        let frame = EncodingFrame()
        open.append((key, frame))
        count += 1
        return frame
    }

    /// A value that encoded nothing becomes an empty document.
    func finish() throws -> BSONValue {
        if case .single(let value) = shape { return value }
        if case .array = shape {
            let elements = try open.map { (key: $0.key, value: try $0.frame.finish()) }
            return .array(arrayElements(with: elements))
        }
        for (key, frame) in open { bytes.appendElement(key: key, try frame.finish()) }
        bytes.append(0)
        bytes.patchLength(at: 0)
        return .document(BSONDocument(trusted: bytes))
    }

    /// Merges the containers opened by hand with the other elements, by index.
    private func arrayElements(with opened: [(key: String, value: BSONValue)]) -> [BSONValue] {
        bytes.append(0)
        bytes.patchLength(at: 0)
        let written = BSONDocument(trusted: bytes).map { (index: Int($0.key) ?? 0, value: $0.value) }
        let late = opened.map { (index: Int($0.key) ?? 0, value: $0.value) }
        return (written + late).sorted { $0.index < $1.index }.map(\.value)
    }

    private static func check(_ key: String, _ value: Any, path: @autoclosure () -> [any CodingKey]) throws {
        guard !key.utf8.contains(0) else {
            let context = EncodingError.Context(codingPath: path(), debugDescription: "A key has a zero character")
            throw EncodingError.invalidValue(value, context)
        }
    }
}
