import Foundation

/// What `Doctor` found out about one part of the installation.
struct Finding: Sendable {
    enum State: String {
        case ok
        /// Works, but probably not as the operator wants.
        case advice
        /// Does not work.
        case fault
    }

    let state: State
    /// The part's name, one word.
    let part: String
    /// What was found, and what to do about it.
    let text: String

    init(_ state: State, _ part: String, _ text: String) {
        self.state = state
        self.part = part
        self.text = text
    }

    /// In columns. Further lines of the text are indented.
    var line: String {
        let start =
            state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            + part.padding(toLength: 10, withPad: " ", startingAt: 0)
        return start + text.replacing("\n", with: "\n" + String(repeating: " ", count: start.count))
    }
}
