import Domain
import Foundation
import Testing

/// Two weeks from Monday 2026-01-05 in UTC with reminders at nine.
@Suite struct ReminderPlanTests {
    private static let start = Date(timeIntervalSince1970: 1_767_571_200)
    private static let sprint = Sprint(
        teamID: .random(), start: start, end: start + 14 * 86_400, closes: start + 14 * 86_400,
        label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)

    private static func day(_ number: Int) -> CalendarDay {
        CalendarDay(instant: start + Double(number) * 86_400, in: .gmt)
    }
    /// A day of the sprint, counted from 0, at an hour.
    private static func at(_ number: Int, _ hour: Double) -> Date { start + Double(number) * 86_400 + hour * 3_600 }

    private static func plan(
        _ earlier: [Delivery] = [], settings: ReminderSettings = ReminderSettings(remindsAgain: true)
    ) -> ReminderPlan {
        ReminderPlan(sprint: sprint, zone: .gmt, settings: settings, earlier: earlier)
    }

    private static func occasion(_ kind: Delivery.Kind, _ number: Int, hour: Int? = nil) -> Delivery.Occasion {
        Delivery.Occasion(sprint: sprint.key, kind: kind, day: day(number), hour: hour)
    }

    private static func sent(
        _ kind: Delivery.Kind, _ number: Int, _ state: Delivery.State = .done
    ) -> Delivery {
        Delivery(occasion: occasion(kind, number), state: state, begun: at(number, 9.2))
    }

    private static func away(_ days: ClosedRange<Int>) -> [Absence] {
        [Absence(first: day(days.lowerBound), last: day(days.upperBound))]
    }

    @Test func `A reminder is due in its window, and once`() {
        #expect(Self.plan().due(at: Self.at(0, 8.9), absences: []).isEmpty)
        #expect(Self.plan().due(at: Self.at(0, 9.25), absences: []) == [Self.occasion(.reminder, 0)])
        #expect(Self.plan().due(at: Self.at(0, 17.9), absences: []) == [Self.occasion(.reminder, 0)])
        #expect(Self.plan().due(at: Self.at(0, 18), absences: []).isEmpty)
        #expect(Self.plan([Self.sent(.reminder, 0)]).due(at: Self.at(0, 9.25), absences: []).isEmpty)
        #expect(Self.plan().due(at: Self.at(10, 9.25), absences: []) == [Self.occasion(.secondReminder, 10)])
        #expect(Self.plan().due(at: Self.at(4, 9.25), absences: []).isEmpty)
    }

    @Test func `A user who was away gets the reminder on their return, and nobody else does`() {
        let plan = Self.plan([Self.sent(.reminder, 0)])
        let absent = Self.away(0...1)
        #expect(plan.due(at: Self.at(2, 9.25), absences: [absent]) == [Self.occasion(.reminder, 2)])
        #expect(plan.due(at: Self.at(1, 9.25), absences: [absent]).isEmpty)
        #expect(plan.includes(Self.occasion(.reminder, 2), absences: absent))
        #expect(!plan.includes(Self.occasion(.reminder, 2), absences: []))
        #expect(!plan.includes(Self.occasion(.reminder, 0), absences: absent))
        #expect(plan.includes(Self.occasion(.reminder, 0), absences: []))
    }

    @Test func `A user who does not work that day gets the reminder on the next, once`() {
        let plan = Self.plan([Self.sent(.reminder, 0)])
        let tuesday = Self.occasion(.reminder, 1)
        #expect(plan.due(at: Self.at(1, 9.25), absences: [], daysOff: [[.monday]]) == [tuesday])
        #expect(plan.due(at: Self.at(1, 9.25), absences: [], daysOff: [[.friday]]).isEmpty)
        #expect(plan.due(at: Self.at(2, 9.25), absences: [], daysOff: [[.monday, .tuesday]]).count == 1)
        #expect(plan.includes(tuesday, absences: [], daysOff: [.monday]))
        #expect(!plan.includes(tuesday, absences: []))
        #expect(!plan.includes(Self.occasion(.reminder, 0), absences: [], daysOff: [.monday]))
        // The next Monday and Tuesday are further days of the sprint: the reminder does not come again.
        let sent = Self.plan([Self.sent(.reminder, 0), Self.sent(.reminder, 1)])
        for day in 1..<10 {
            #expect(sent.due(at: Self.at(day, 9.25), absences: [], daysOff: [[.monday]]).isEmpty, "day \(day)")
        }
    }

    @Test func `A member with another hour is reminded then, and only then`() {
        func due(_ hour: Double, _ earlier: [Delivery] = []) -> [Delivery.Occasion] {
            Self.plan(earlier).due(at: Self.at(0, hour), absences: [], chosenHours: [7, 9, 15])
        }
        let (team, early, late) = (
            Self.occasion(.reminder, 0), Self.occasion(.reminder, 0, hour: 7), Self.occasion(.reminder, 0, hour: 15)
        )
        #expect(due(6.9).isEmpty)
        #expect(due(7.25) == [early])
        #expect(due(9.25) == [team, early])
        #expect(due(15.25, [Delivery(occasion: early, begun: Self.at(0, 7.2)), Self.sent(.reminder, 0)]) == [late])
        let plan = Self.plan()
        for (occasion, hour) in [(team, nil), (early, 7), (late, 15), (team, 9)] {
            for other in [team, early, late] {
                #expect(plan.includes(other, absences: [], chosenHour: hour) == (other == occasion))
            }
        }
        // A reminder that only went to members with their own hour does not stand for the team's.
        #expect(Self.plan([Delivery(occasion: early, begun: Self.at(0, 7.2))]).missed(at: Self.at(0, 18)) == [team])
    }

    @Test func `A member with an hour before the sprint begins is reminded with the team`() {
        let noon = Sprint(
            teamID: .random(), start: Self.at(0, 8), end: Self.at(14, 8), closes: Self.at(14, 8),
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
        let plan = ReminderPlan(sprint: noon, zone: .gmt, settings: ReminderSettings(), earlier: [])
        let occasion = Delivery.Occasion(sprint: noon.key, kind: .reminder, day: Self.day(0))
        #expect(plan.due(at: Self.at(0, 9.25), absences: [], chosenHours: [7]) == [occasion])
        #expect(plan.includes(occasion, absences: [], chosenHour: 7))
    }

    @Test func `On the second's day, each user gets their own kind`() {
        let plan = Self.plan([Self.sent(.reminder, 0)])
        let absent = Self.away(0...9)
        let due = plan.due(at: Self.at(10, 9.25), absences: [absent])
        #expect(due == [Self.occasion(.reminder, 10), Self.occasion(.secondReminder, 10)])
        #expect(plan.includes(due[0], absences: absent) && !plan.includes(due[1], absences: absent))
        #expect(!plan.includes(due[0], absences: []) && plan.includes(due[1], absences: []))
    }

    @Test func `A day that becomes a holiday moves nothing that was sent`() {
        let settings = ReminderSettings(holidays: [Self.day(0)])
        let moved = Self.plan([Self.sent(.reminder, 0)], settings: settings)
        #expect(moved.due(at: Self.at(1, 9.25), absences: []).isEmpty)
        #expect(!moved.includes(Self.occasion(.reminder, 1), absences: []))
        // A skipped reminder was sent to no one.
        let skipped = Self.plan([Self.sent(.reminder, 0, .skipped)], settings: settings)
        #expect(skipped.due(at: Self.at(1, 9.25), absences: []) == [Self.occasion(.reminder, 1)])
    }

    @Test func `A reminder is missed when its window has passed without one`() {
        #expect(Self.plan().missed(at: Self.at(0, 17.9)).isEmpty)
        #expect(Self.plan().missed(at: Self.at(0, 18)) == [Self.occasion(.reminder, 0)])
        #expect(Self.plan().missed(at: Self.at(5, 12)) == [Self.occasion(.reminder, 0)])
        #expect(Self.plan([Self.sent(.reminder, 0)]).missed(at: Self.at(5, 12)).isEmpty)
        #expect(Self.plan([Self.sent(.reminder, 0, .skipped)]).missed(at: Self.at(5, 12)).isEmpty)
        #expect(
            Self.plan([Self.sent(.reminder, 0)]).missed(at: Self.at(11, 0)) == [Self.occasion(.secondReminder, 10)])
        #expect(Self.plan(settings: ReminderSettings(isOn: false)).missed(at: Self.at(5, 12)).isEmpty)
    }
}
