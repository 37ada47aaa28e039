import Domain

/// A line of the page about the installation's health: what was found about a part, and what to do.
struct HealthRow: Sendable {
    /// The parts that have a name on the page.
    enum Part: String, CaseIterable {
        case mail, backups, address, worker, api, jobs, clock, store, disk, pictures, push
        case logIn = "log-in"
    }

    /// Of the element; `nil` for further lines of a part.
    let id: String?
    let name: String
    /// In one word.
    let state: String
    let isGood: Bool
    let isBad: Bool
    /// One sentence or two: what is known, and the remedy.
    let text: String
    /// A button that helps; `nil` if none does.
    let deed: Deed?

    /// The form of a button.
    struct Deed: Sendable {
        let address: SitePath
        let label: String
    }

    /// The lines in the order of the findings.
    static func all(_ findings: [Finding], words: LocalizedTexts, language: PageLanguage) -> [HealthRow] {
        var named: Set<String> = []
        return findings.map {
            HealthRow($0, isFirst: named.insert($0.part).inserted, words: words, language: language)
        }
    }

    private init(_ finding: Finding, isFirst: Bool, words: LocalizedTexts, language: PageLanguage) {
        id = isFirst ? finding.part : nil
        name = Part(rawValue: finding.part).map { words.text("healthParts.\($0.rawValue)") } ?? finding.part
        state = words.text("health.\(finding.state.rawValue)")
        isGood = finding.state == .ok
        isBad = finding.state == .fault
        var values = finding.values
        if let day = values["day"].flatMap({ CalendarDay($0) }) { values["day"] = day.text(in: language) }
        text =
            finding.key.map { words.text("health.\($0.rawValue)", values) }
            ?? (finding.state == .ok ? words.text("health.works") : words.text("health.seeDoctor"))
        deed = isFirst ? Self.deed(for: finding, words: words) : nil
    }

    private static func deed(for finding: Finding, words: LocalizedTexts) -> Deed? {
        switch (finding.part, finding.key) {
        case ("mail", .mailFolder), ("backups", .noBackups), ("backups", .backupOk): return nil
        case ("mail", _): return Deed(address: .adminTestMail, label: words.text("health.sendTest"))
        case ("backups", _): return Deed(address: .adminBackup, label: words.text("health.backUpNow"))
        default: return nil
        }
    }
}
