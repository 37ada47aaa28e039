import Foundation
import FoundationXML

/// An XML answer as a tree of elements, read without any of XML's dangers: no document type, hence no entities of its own
/// and none from elsewhere, and a bounded depth. The caller bounds the length.
struct S3Document: Equatable, Sendable {
    /// Its name, without a name space.
    let name: String
    /// What stands in it outside of elements.
    fileprivate(set) var text = ""
    fileprivate(set) var children: [S3Document] = []

    /// Theirs are three deep.
    private static let maximumDepth = 8

    /// `nil` for what is not well-formed, or has a document type.
    static func parse(_ bytes: [UInt8]) -> S3Document? {
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "<"),
            !String(decoding: bytes, as: UTF8.self).contains("<!DOCTYPE")
        else { return nil }
        let builder = Builder(maximumDepth: maximumDepth)
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        return parser.parse() ? builder.root : nil
    }

    /// Text of the first child of a name.
    subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }

    private final class Builder: NSObject, XMLParserDelegate {
        private let maximumDepth: Int
        private var open: [S3Document] = []
        private(set) var root: S3Document?

        init(maximumDepth: Int) {
            self.maximumDepth = maximumDepth
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if open.count == maximumDepth { parser.abortParsing() }
            open.append(S3Document(name: name))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            guard !open.isEmpty else { return }
            open[open.count - 1].text += text
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            guard let ended = open.popLast() else { return }
            if open.isEmpty {
                root = ended
            } else {
                open[open.count - 1].children.append(ended)
            }
        }
    }
}
