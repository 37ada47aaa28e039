import Shared

/// An experiment as a client sends it.
struct ExperimentRequest: Decodable {
    /// Each side's words by language; what is missing or empty stands for the team's own or the standard text.
    struct Wordings: Decodable {
        let a: [String: ReminderSettingsRequest.Text]?
        let b: [String: ReminderSettingsRequest.Text]?
    }

    let reminder: String
    let first: String
    let last: String
    let wordings: Wordings

    /// The same in our types; ranges are the service's matter.
    /// - Throws: `AppError`: `malformed` for a day that is none, `refused` for a reminder or language there is none of.
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
