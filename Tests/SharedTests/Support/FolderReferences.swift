/// What the folders of a target refer to: types and functions by their names, and the members that extensions add.
///
/// By names, not by the compiler: comments and texts are skipped, and a member counts only if no other file declares
/// its name.
struct FolderReferences {
    /// A file that names what a file of another folder declares.
    struct Reference: Hashable, Comparable {
        let source: String
        let target: String
        let name: String

        static func < (left: Self, right: Self) -> Bool {
            (left.source, left.target, left.name) < (right.source, right.target, right.name)
        }
    }

    /// Members that our extensions overload: most uses are of the standard library's.
    private static let overloads: Set = ["firstIndex"]

    /// By the folder that refers, then by the one referred to.
    private(set) var references: [String: [String: Set<Reference>]] = [:]

    /// - Parameters:
    ///   - files: a target's files by path, relative to the target.
    ///   - others: the files of other targets.
    ///   - folder: the folder of a path; `nil` for a file that does not count.
    init(_ files: [String: SourceNames], others: [SourceNames], folder: (String) -> String?) {
        var declared: [String: String] = [:]
        var declarations: [String: Int] = [:]
        for (path, names) in files {
            for name in names.declared { declared[name] = path }
        }
        for names in files.values + others {
            for name in names.members { declarations[name, default: 0] += 1 }
        }
        var added: [String: String] = [:]
        for (path, names) in files {
            for name in names.added.subtracting(Self.overloads) where declarations[name] == 1 { added[name] = path }
        }
        for (path, names) in files {
            guard let source = folder(path) else { continue }
            references[source] = references[source] ?? [:]
            let types = names.used.subtracting(names.inner).compactMap { name in declared[name].map { (name, $0) } }
            let members = names.selected.compactMap { name in added[name].map { (".\(name)", $0) } }
            for (name, target) in types + members {
                guard let place = folder(target), place != source else { continue }
                references[source]?[place, default: []].insert(Reference(source: path, target: target, name: name))
            }
        }
    }

    /// The folders from the lowest to the highest, and the references that lead up: none if there is no circle. In a
    /// circle the folder comes first that is used most by the others and uses them least: what must be cut is seldom
    /// what is used most.
    func order() -> (folders: [String], upward: [Reference]) {
        var left = references
        var folders: [String] = []
        var upward: [Reference] = []
        while let circle = Self.lowest(in: left) {
            func count(_ source: String, _ target: String) -> Int { left[source]?[target]?.count ?? 0 }
            let choices = circle.map { folder in
                (weight: circle.reduce(0) { $0 + count(folder, $1) - count($1, folder) }, folder: folder)
            }
            guard let next = choices.min(by: <)?.folder else { break }
            upward += (left[next] ?? [:]).filter { circle.contains($0.key) }.values.joined().sorted()
            folders.append(next)
            left[next] = nil
        }
        return (folders, upward)
    }

    /// Folders that refer to each other and to no others of these: a circle, or a single folder. `nil` if there are
    /// none.
    private static func lowest(in references: [String: [String: Set<Reference>]]) -> Set<String>? {
        func reached(from folder: String) -> Set<String> {
            var found: Set = [folder]
            var open = [folder]
            while let next = open.popLast() {
                for target in (references[next] ?? [:]).keys where references[target] != nil {
                    if found.insert(target).inserted { open.append(target) }
                }
            }
            return found
        }
        // What is reached from a folder of the lowest circle is that circle, and nothing is smaller within it.
        return references.keys.sorted().map(reached).min { $0.count < $1.count }
    }
}

/// The names that a source file declares and uses.
///
/// It reads bytes: regular expressions would take minutes in a debug build.
struct SourceNames {
    /// Types, functions and constants at the top level that other files see; functions with `(`.
    private(set) var declared: Set<String> = []
    /// Types inside others, and private ones: here these names mean them.
    private(set) var inner: Set<String> = []
    /// Members that extensions add.
    private(set) var added: Set<String> = []
    /// All members of types and extensions.
    private(set) var members: Set<String> = []
    /// Names that do not follow a dot; functions with `(`.
    private(set) var used: Set<String> = []
    /// Names that follow a dot.
    private(set) var selected: Set<String> = []

    private enum Scope {
        case file, type, addition, body
    }

    private var bytes: [UInt8]
    private var position = 0
    /// The last byte that is no space, and the one before it.
    private var last: UInt8 = 0
    private var lastButOne: UInt8 = 0
    private var scopes: [(scope: Scope, parentheses: Int)] = [(.file, 0)]
    private var parentheses = 0
    /// The kind of body that a declaration begins.
    private var next: Scope?
    private var keyword = ""
    private var isPrivate = false
    /// Text literals that an interpolation interrupts.
    private var literals: [(hashes: Int, isLong: Bool, parentheses: Int)] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        // Look-ahead without checks.
        bytes += [0, 0, 0, 0]
        let end = bytes.count - 4
        while position < end { step() }
        bytes = []
    }

    private mutating func step() {
        let byte = bytes[position]
        if byte == 0x20 || byte == 0x0a {
            position += 1
            return
        }
        if Self.isLetter(byte) {
            word()
            return
        }
        switch byte {
        case UInt8(ascii: "/") where bytes[position + 1] == UInt8(ascii: "/"):
            while bytes[position] != 0x0a && bytes[position] != 0 { position += 1 }
            return
        case UInt8(ascii: "/") where beginsPattern:
            pattern()
        case UInt8(ascii: "#"), UInt8(ascii: "\""):
            if let literal = beginOfLiteral() {
                position += literal.hashes + (literal.isLong ? 3 : 1)
                skipLiteral(literal.hashes, literal.isLong)
                return
            }
        case UInt8(ascii: "{"):
            scopes.append((next ?? .body, parentheses))
            (next, parentheses, isPrivate, keyword) = (nil, 0, false, "")
        case UInt8(ascii: "}"):
            if scopes.count > 1, let closed = scopes.popLast() { parentheses = closed.parentheses }
            (isPrivate, keyword) = (false, "")
        case UInt8(ascii: "("), UInt8(ascii: "["):
            parentheses += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            if let literal = literals.last, literal.parentheses == parentheses, byte == UInt8(ascii: ")") {
                literals.removeLast()
                parentheses -= 1
                position += 1
                skipLiteral(literal.hashes, literal.isLong)
                return
            }
            parentheses -= 1
        default:
            break
        }
        (lastButOne, last) = (last, byte)
        position += 1
    }

    /// A name or keyword.
    private mutating func word() {
        let start = position
        while Self.isLetter(bytes[position]) || Self.isDigit(bytes[position]) { position += 1 }
        let isName = !Self.isDigit(last) || start == 0 || bytes[start - 1] != last
        let followsDot = last == UInt8(ascii: ".") && lastButOne != UInt8(ascii: ".")
        (lastButOne, last) = (last, UInt8(ascii: "a"))
        guard isName else { return }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        if followsDot {
            if !Self.isCapital(bytes[start]) { selected.insert(name) }
            return
        }
        let isCall = bytes[position] == UInt8(ascii: "(")
        let isDeclared = !keyword.isEmpty && declare(name, isCall: isCall || bytes[position] == UInt8(ascii: "<"))
        if isDeclared { return }
        if parentheses == 0, Self.keywords.contains(name) {
            keyword = name
        } else if name == "private" || name == "fileprivate" {
            isPrivate = !isCall
        } else if Self.isCapital(bytes[start]) {
            used.insert(name)
        } else if isCall {
            used.insert("\(name)(")
        }
    }

    /// - Returns: whether the keyword before it makes it a declaration.
    private mutating func declare(_ name: String, isCall: Bool) -> Bool {
        let scope = scopes[scopes.count - 1].scope
        // `class func`
        if Self.keywords.contains(name) {
            keyword = name
            return true
        }
        let kind = keyword
        keyword = ""
        defer { if kind != "case" { isPrivate = false } }
        switch kind {
        case "func", "let", "var", "case":
            if scope == .file, !isPrivate {
                if kind == "func" { declared.insert("\(name)(") }
            } else if scope == .type || scope == .addition {
                members.insert(name)
                if scope == .addition, !isPrivate { added.insert(name) }
            }
            return true
        default:
            guard name.utf8.first.map(Self.isCapital) == true else { return false }
            if kind == "extension" {
                used.insert(name)
                next = .addition
                return true
            }
            if scope == .file, !isPrivate { declared.insert(name) } else { inner.insert(name) }
            if kind != "typealias", kind != "associatedtype" { next = .type }
            return true
        }
    }

    // MARK: - Literals

    /// A regular expression; otherwise the slash divides.
    private var beginsPattern: Bool {
        let following = bytes[position + 1]
        return following != 0x20 && following != 0x0a && following != UInt8(ascii: "=")
            && "(,=:[{!&|?;".utf8.contains(last)
    }

    private mutating func pattern() {
        position += 1
        while bytes[position] != UInt8(ascii: "/"), bytes[position] != 0x0a, bytes[position] != 0 {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
    }

    private func beginOfLiteral() -> (hashes: Int, isLong: Bool)? {
        var start = position
        while bytes[start] == UInt8(ascii: "#") { start += 1 }
        guard bytes[start] == UInt8(ascii: "\"") else { return nil }
        let isLong = bytes[start + 1] == UInt8(ascii: "\"") && bytes[start + 2] == UInt8(ascii: "\"")
        return (start - position, isLong)
    }

    /// From within a literal to behind it, or to the code of an interpolation.
    private mutating func skipLiteral(_ hashes: Int, _ isLong: Bool) {
        (lastButOne, last) = (0, UInt8(ascii: "\""))
        while bytes[position] != 0 {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\"), hasHashes(hashes, at: position + 1) {
                position += 1 + hashes
                if bytes[position] == UInt8(ascii: "(") {
                    position += 1
                    parentheses += 1
                    literals.append((hashes, isLong, parentheses))
                    last = UInt8(ascii: "(")
                    return
                }
                position += 1
                continue
            }
            if byte == UInt8(ascii: "\"") {
                let quotes = isLong ? 3 : 1
                let isEnd = !isLong || (bytes[position + 1] == byte && bytes[position + 2] == byte)
                if isEnd, hasHashes(hashes, at: position + quotes) {
                    position += quotes + hashes
                    return
                }
            }
            if byte == 0x0a, !isLong { return }
            position += 1
        }
    }

    private func hasHashes(_ count: Int, at start: Int) -> Bool {
        var position = start
        while position < start + count {
            guard bytes[position] == UInt8(ascii: "#") else { return false }
            position += 1
        }
        return true
    }

    private static let keywords: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "extension", "typealias", "associatedtype", "func", "let",
        "var", "case",
    ]

    private static func isCapital(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5a }
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte == 0x5f || byte >= 0x80
    }
}
