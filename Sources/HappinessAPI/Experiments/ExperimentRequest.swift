import Domain

/// An experiment as a client sends it.
struct ExperimentRequest: Decodable {
    /// Each side's texts by language; a missing or empty one falls back to the team's own or the standard text.
    struct Wordings: Decodable {
        let a: [String: ReminderSettingsRequest.Text]?
        let b: [String: ReminderSettingsRequest.Text]?
    }

    let reminder: String
    let first: String
    let last: String
    let wordings: Wordings

    /// Converts the request to the domain type; the service checks ranges.
    /// - Throws: `AppError`: `malformed` for an invalid day, `unprocessable` for an unknown reminder or language.
    func experiment(of teamID: Team.ID) throws(AppError) -> ReminderExperiment {
        guard let kind = ReminderOccasion.Kind(rawValue: reminder) else { throw AppError.noSuchReminder }
        guard let first = CalendarDay(first), let last = CalendarDay(last) else {
            throw AppError(.malformed, "first and last must be days such as 2026-12-24.")
        }
        return ReminderExperiment(
            teamID: teamID, kind: kind, first: first, last: last,
            wordings: [.a: try (wordings.a ?? [:]).texts, .b: try (wordings.b ?? [:]).texts])
    }
}
