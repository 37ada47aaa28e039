import Foundation
import FoundationXML

/// An XML response as a tree of elements, parsed safely: no document type, hence no internal or external entities, and
/// a limited depth. The caller limits the length.
struct S3Document: Equatable, Sendable {
    /// The name without its namespace.
    let name: String
    /// Text outside of child elements.
    fileprivate(set) var text = ""
    fileprivate(set) var children: [S3Document] = []

    /// The store's documents are three levels deep.
    private static let maximumDepth = 8

    /// `nil` if the document is not well-formed or has a document type.
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

    /// Text of the first child element with this name.
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
