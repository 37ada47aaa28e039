import Domain
import Foundation
import Testing

/// The limits of an action's content.
@Suite struct ActionContentTests {
    private func reason(_ content: ActionContent) -> AppError.Reason? {
        do throws(AppError) {
            _ = try content.validated()
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `Texts lose white space at their ends, and an empty quote becomes none`() throws {
        let content = ActionContent(title: "  Shorter daily\n", notes: " one\r\ntwo\rthree ", quote: " \n ")
        let valid = try content.validated()
        #expect(valid.title == "Shorter daily")
        #expect(valid.notes == "one\ntwo\nthree")
        #expect(valid.quote == nil)
    }

    @Test func `Limits count characters as people do`() {
        let flag = "🇦🇹"
        #expect(reason(ActionContent(title: String(repeating: flag, count: 200))) == nil)
        #expect(reason(ActionContent(title: String(repeating: "a", count: 201))) == .actionTooLong)
        #expect(reason(ActionContent(title: "a", notes: String(repeating: "ä", count: 2_000))) == nil)
        #expect(reason(ActionContent(title: "a", notes: String(repeating: "a", count: 2_001))) == .actionTooLong)
        #expect(reason(ActionContent(title: "a", quote: String(repeating: "a", count: 2_001))) == .actionTooLong)
        let stacked = "a" + String(repeating: "\u{301}", count: 20_000)
        #expect(reason(ActionContent(title: stacked)) == .actionTooLong)
    }

    @Test func `A title is a line of text`() {
        for title in ["", " \n\t ", "\u{0}"] {
            #expect(reason(ActionContent(title: title)) != nil)
        }
        #expect(reason(ActionContent(title: " ")) == .actionTitleMissing)
        for title in ["a\nb", "a\tb", "a\u{7}b", "a\u{2028}b"] {
            #expect(reason(ActionContent(title: title)) == .actionNotText)
        }
        #expect(reason(ActionContent(title: "a", notes: "a\tb\nc")) == nil)
        #expect(reason(ActionContent(title: "a", notes: "a\u{0}b")) == .actionNotText)
    }

    @Test func `The due day is within a sensible range`() {
        #expect(reason(ActionContent(title: "a", due: CalendarDay("2026-02-28"))) == nil)
        for day in ["1969-12-31", "2101-01-01"] {
            #expect(reason(ActionContent(title: "a", due: CalendarDay(day))) == .actionDue)
        }
    }

    @Test func `An action begins when it first leaves the to-do column`() {
        let sprints = (1...3).map {
            ActionSprint(
                start: .init(timeIntervalSince1970: Double($0) * 1_209_600), label: SprintLabel(year: 2026, number: $0))
        }
        var action = Action(teamID: .random(), content: ActionContent(title: "a"), made: sprints[0])
        action.move(to: .toDo, in: sprints[0])
        #expect(action.began == nil)
        action.move(to: .onHold, in: sprints[1])
        #expect(action.began == sprints[1])
        action.move(to: .toDo, in: sprints[2])
        action.move(to: .done, in: sprints[2])
        #expect(action.began == sprints[1] && action.state == .done)
    }
}
