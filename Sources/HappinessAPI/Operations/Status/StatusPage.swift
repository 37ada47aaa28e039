import Domain
import Foundation

/// The installation's status.
struct StatusPage: Page {
    static let template = "admin-status"

    let navigation: AdministrationNavigation
    let parts: [Part]
    let rows: [Row]
    /// Shown if processes cannot be listed, or no worker runs.
    let problem: String?
    let charts: [Chart]
    let versions: [Fact]
    /// When the status was collected.
    let time: String

    /// A service the installation depends on.
    struct Part: Sendable {
        let name: String
        let driver: String
        let state: String
        let isReachable: Bool
        let isUnreachable: Bool
    }

    struct Row: Sendable {
        let kind: String
        let host: String
        /// Whether it rendered this page.
        let isThis: Bool
        let isAlive: Bool
        let state: String
        let memory: String
        let cpu: String
        let connections: String
        let requests: String
        let version: String
        /// When it started, or when it was last seen.
        let since: String
    }

    /// A chart of the last hour, and its latest value as text.
    struct Chart: Sendable {
        let title: String
        let now: String
        let drawing: Drawing
        let legend: [Key]
    }

    /// The legend of a chart's line.
    struct Key: Sendable {
        /// CSS class of the line.
        let paint: String
        let label: String
        let value: String
    }

    /// A label and its value.
    struct Fact: Sendable {
        let name: String
        let value: String
    }

    init(_ status: SystemStatus, visit: PageVisit) {
        let words = visit.words
        let writer = StatusTexts(words: words, language: visit.frame.language)
        navigation = AdministrationNavigation(at: .status, words: words)
        parts = status.parts.map { part in
            Part(
                name: writer.name(of: part.purpose), driver: part.driver, state: writer.text(of: part.state),
                isReachable: part.state == .reachable, isUnreachable: part.state == .unreachable)
        }
        let processes = status.processes ?? []
        rows = processes.map { Row($0, status: status, writer: writer) }
        let hasWorker = processes.contains { $0.kind == .worker && $0.isAlive(at: status.instant) }
        problem =
            status.processes == nil
            ? words.text("status.notListed") : hasWorker ? nil : words.text("status.noWorker")
        charts = StatusCharts(status: status, writer: writer).all
        versions = writer.facts(status)
        time = status.instant.text(inUTCFor: visit.frame.language)
    }
}

extension StatusPage.Row {
    fileprivate init(_ process: ProcessRecord, status: SystemStatus, writer: StatusTexts) {
        let load = process.load
        isAlive = process.isAlive(at: status.instant)
        kind = writer.name(of: process.kind)
        host = process.host
        isThis = process.id == status.own
        state = isAlive ? writer.words.text("status.alive") : writer.words.text("status.gone")
        memory = writer.memory(load.memory)
        cpu = writer.cpu(load.cpu)
        connections = load.connections.map(writer.connections) ?? "–"
        requests = load.requests.map { writer.rate($0.all) } ?? "–"
        version = process.version
        since = isAlive ? writer.since(process.started) : writer.lastSeen(process.seen)
    }
}
