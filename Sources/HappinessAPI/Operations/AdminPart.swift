import Foundation
import Services

/// An option of a form field.
struct AdminChoice: Sendable {
    let value: String
    let label: String
    let isChosen: Bool

    /// Roles in the installation, in ascending order of rights.
    static func roles(_ words: LocalizedTexts, chosen: User.Role) -> [AdminChoice] {
        [User.Role.member, .guest, .admin].map {
            AdminChoice(value: $0.rawValue, label: $0.label(words), isChosen: $0 == chosen)
        }
    }

    /// Roles in a team.
    static func teamRoles(_ words: LocalizedTexts, chosen: Membership.Role) -> [AdminChoice] {
        [Membership.Role.member, .lead].map {
            AdminChoice(value: $0.rawValue, label: $0.label(words), isChosen: $0 == chosen)
        }
    }
}

extension User.Role {
    /// In the page's language.
    func label(_ words: LocalizedTexts) -> String {
        switch self {
        case .admin: words.text("admin.roleAdmin")
        case .member: words.text("admin.roleMember")
        case .guest: words.text("admin.roleGuest")
        }
    }
}

extension Membership.Role {
    /// In the page's language.
    func label(_ words: LocalizedTexts) -> String {
        switch self {
        case .lead: words.text("admin.teamLead")
        case .member: words.text("admin.teamMember")
        }
    }
}

extension Date {
    /// Date and time for operators, whose teams may be in many time zones: `21 November 2026, 09:05 UTC`.
    func text(inUTCFor language: PageLanguage) -> String {
        let time = formatted(
            .verbatim(
                "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
                timeZone: .gmt, calendar: Calendar(identifier: .iso8601)))
        return "\(CalendarDay(instant: self, in: .gmt).text(in: language)), \(time) UTC"
    }
}
