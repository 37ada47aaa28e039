import Foundation

/// What `Doctor` found out about one part of the installation. The command prints it, and the page about the
/// installation's health shows it in the reader's language.
struct Finding: Sendable {
    enum State: String, Sendable, CaseIterable {
        case ok
        /// Works, but probably not as the operator wants.
        case advice
        /// Does not work.
        case fault
    }

    /// What the page says about it: the names of its texts in `health`.
    enum Key: String, Sendable, CaseIterable {
        case addressLocal, addressPlain, addressProxy, addressOk
        case clockAhead, clockDiffers, clockOk
        case noWorker, crashed
        case deadJobs, jobsWaiting
        case noBackups, noBackupYet, backupOld, backupFails, backupOk
        case diskLow, diskOk
        case mailFolder, mailFails, mailUntested, mailOnItsWay, mailRefused, mailDelivered
        case serviceOk, serviceFails, pushLogged, nothingToCheck, logInFails
        case slow
    }

    let state: State
    /// The part's name, one word.
    let part: String
    /// What was found, and what to do about it; for the operator.
    let text: String
    /// The page's text for it. Without one the page says only whether the part works: `text` may have a
    /// path or the words of another program.
    let key: Key?
    /// For the placeholders of the page's text. `day` is a `CalendarDay`.
    let values: [String: String]

    init(_ state: State, _ part: String, _ text: String, _ key: Key? = nil, _ values: [String: String] = [:]) {
        self.state = state
        self.part = part
        self.text = text
        self.key = key
        self.values = values
    }

    /// In columns. Further lines of the text are indented.
    var line: String {
        let start =
            state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            + part.padding(toLength: 10, withPad: " ", startingAt: 0)
        return start + text.replacing("\n", with: "\n" + String(repeating: " ", count: start.count))
    }
}
