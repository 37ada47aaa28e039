/// What a page's module shows about one dot or bar, as data attributes of its link: a script that took it out of the
/// link's name would depend on the words of a language.
struct ChartReadout {
    /// `7.4`, `86%`, or `–` if there is none.
    let value: String
    /// `9–22 Nov 2026`
    let dates: String
    /// `12 votes, still running`
    let facts: String
    /// The actions that began in the sprint; `nil` for none.
    let begun: String?

    /// For a start tag, each with a space before it.
    var attributes: String {
        let all = [("value", value), ("dates", dates), ("facts", facts)] + (begun.map { [("begun", $0)] } ?? [])
        return all.map { " data-\($0)=\"\(SVGText.escaped($1))\"" }.joined()
    }
}
