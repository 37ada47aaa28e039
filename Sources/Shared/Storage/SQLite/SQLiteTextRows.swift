import Domain
import GRDB

extension Database: TextRows, TextWrites {
    func textVersion() throws -> Int {
        try first("SELECT number FROM textVersion") { $0.value() } ?? 0
    }

    func ownTexts() throws -> [OwnText] {
        try rows(
            """
            SELECT language, name, text FROM textChanges AS change
            WHERE text IS NOT NULL AND number = (
                SELECT max(number) FROM textChanges WHERE language = change.language AND name = change.name)
            """
        ) { row in
            let language: MailLocale = try row.named()
            return OwnText(key: TextKey(row.value(), in: language), text: row.value())
        }
    }

    func changeText(_ key: TextKey, _ change: TextChange, from present: String?) throws -> Bool {
        let language = key.language.rawValue
        let latest = try first(
            "SELECT number, text FROM textChanges WHERE language = ? AND name = ? ORDER BY number DESC LIMIT 1",
            [language, key.name]
        ) { (number: $0.value(as: Int.self), text: $0.optional(as: String.self)) }
        guard latest?.text == present else { return false }
        let number = (latest?.number ?? 0) + 1
        try self.change(
            "INSERT INTO textChanges (language, name, number, text, day) VALUES (?, ?, ?, ?, ?)",
            [language, key.name, number, change.text, change.day.description])
        try self.change(
            "DELETE FROM textChanges WHERE language = ? AND name = ? AND number <= ?",
            [language, key.name, number - TextChange.maximumCount])
        // A store that was moved here before its first change has no row.
        try self.change(
            """
            INSERT INTO textVersion (id, number) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET number = number + 1
            """)
        return true
    }

    func textHistory(of key: TextKey) throws -> [TextChange] {
        try rows(
            "SELECT text, day FROM textChanges WHERE language = ? AND name = ? ORDER BY number DESC",
            [key.language.rawValue, key.name]
        ) { row in
            TextChange(text: row.optional(), day: try row.parsed())
        }
    }
}
