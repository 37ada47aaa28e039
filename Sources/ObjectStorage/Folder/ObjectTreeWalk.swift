import Domain
import Ports

/// Walks through the files of an `ObjectTree` in key order, visiting only the folders it needs.
struct ObjectTreeWalk {
    private let tree: ObjectTree
    private let prefix: String
    private let after: String
    private let limit: Int
    private var found: [ObjectListing] = []

    init(tree: ObjectTree, prefix: String, after: String?, limit: Int) {
        self.tree = tree
        self.prefix = prefix
        self.after = after ?? ""
        self.limit = limit
    }

    /// - Throws: `ObjectStoreError`.
    mutating func run() throws(ObjectStoreError) -> [ObjectListing] {
        let tree = tree
        try tree.reportingErrors { try visit("") }
        return found
    }

    /// An entry of a folder: an object, whose text is its key, or a folder, whose text is the prefix of its keys.
    private struct Entry {
        let text: String
        let isFolder: Bool
    }

    /// - Parameter path: prefix of the folder's keys: empty, or parts that each end with a slash.
    private mutating func visit(_ path: String) throws {
        for entry in try entries(path) {
            guard found.count < limit else { return }
            if entry.isFolder {
                try visit(entry.text)
            } else if let key = ObjectKey(entry.text),
                let status = try tree.status(of: "\(tree.root)/\(entry.text)\(ObjectTree.suffix)")
            {
                let size = max(0, status.size - ObjectFile.headLength)
                found.append(ObjectListing(key: key, modifiedAt: status.modifiedAt, size: size))
            }
        }
    }

    /// With the slash after a folder's name, entries sort in the order of their keys: `a`, `a-b`, `a/b`. Swift compares
    /// ASCII strings byte by byte.
    private func entries(_ path: String) throws -> [Entry] {
        try tree.names(in: "\(tree.root)/\(path)").compactMap { name in
            if name.hasSuffix(ObjectTree.suffix) {
                let key = path + name.dropLast(ObjectTree.suffix.count)
                return key.hasPrefix(prefix) && key > after ? Entry(text: key, isFolder: false) : nil
            }
            guard ObjectKey(name) != nil else { return nil }
            let folder = "\(path)\(name)/"
            let mayMatch = folder.hasPrefix(prefix) || prefix.hasPrefix(folder)
            let mayFollow = folder > after || after.hasPrefix(folder)
            return mayMatch && mayFollow ? Entry(text: folder, isFolder: true) : nil
        }.sorted { $0.text < $1.text }
    }
}
