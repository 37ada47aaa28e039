import Foundation

/// The deletions that a restore repeats, as a text that is kept beside the backups.
///
/// A line that names the format, one that recognises the secret, the day of writing, and the first day that the list
/// covers; a line for each deletion, in the order of the hashes; and a code, without which entries could be added or
/// removed unnoticed:
///
///     Happiness Metric deletions, 1
///     5d0f86a7…
///     2026-11-21
///     2025-12-01
///     0b1c2d3e… 2026-11-20
///     HMAC-SHA-256 of the lines above
package struct DeletionList: Hashable, Sendable {
    /// Why a list cannot be used.
    package enum Problem: Error, Hashable, Sendable {
        /// It was written with another `BALLOT_SECRET`.
        case otherSecret
        /// It is not complete, or was changed.
        case damaged
    }

    /// Its name in the folder and in the bucket.
    package static let name = "deletions"
    private static let head = "Happiness Metric deletions, 1"
    /// The hexadecimal digits of the code, and the end of its line.
    private static let codeLength = 65

    /// By hash, the day of the deletion.
    package var days: [[UInt8]: CalendarDay]
    /// The day in UTC on which the list was written.
    package var day: CalendarDay
    /// Earlier deletions were removed, because no backup was older; `nil` if none were.
    package var since: CalendarDay?

    /// Takes the content of a list.
    package init(days: [[UInt8]: CalendarDay], day: CalendarDay, since: CalendarDay? = nil) {
        self.days = days
        self.day = day
        self.since = since
    }

    /// Reads a list.
    /// - Throws: `Problem`.
    package init(_ bytes: [UInt8], secret: BallotSecret) throws(Problem) {
        let content = Array(bytes.dropLast(Self.codeLength))
        let lines = content.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count >= 4, lines[0] == Self.head else { throw .damaged }
        guard lines[1] == Self.keyID(of: secret) else { throw .otherSecret }
        guard SecureBytes.areEqual(Array(bytes.suffix(Self.codeLength)), Self.code(of: content, secret)),
            let day = CalendarDay(lines[2])
        else { throw .damaged }
        var days: [[UInt8]: CalendarDay] = [:]
        for line in lines.dropFirst(4) {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let hash = [UInt8](hexadecimal: String(parts[0])),
                let day = CalendarDay(String(parts[1]))
            else { throw .damaged }
            days[hash] = day
        }
        self.init(days: days, day: day, since: CalendarDay(lines[3]))
    }

    /// The text of the list.
    package func encoded(secret: BallotSecret) -> [UInt8] {
        let entries = days.map { "\($0.key.hexadecimal) \($0.value)" }.sorted()
        let lines = [Self.head, Self.keyID(of: secret), "\(day)", since.map { "\($0)" } ?? "-"] + entries
        let content = Array(lines.map { "\($0)\n" }.joined().utf8)
        return content + Self.code(of: content, secret)
    }

    private static func keyID(of secret: BallotSecret) -> String {
        Array(SecureBytes.hmac(Data("id of the key".utf8), key: secret.deletionListKey).prefix(16)).hexadecimal
    }

    /// A line.
    private static func code(of content: [UInt8], _ secret: BallotSecret) -> [UInt8] {
        Array("\(SecureBytes.hmac(content, key: secret.deletionListKey).hexadecimal)\n".utf8)
    }
}
