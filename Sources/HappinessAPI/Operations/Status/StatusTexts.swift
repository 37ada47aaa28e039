import Domain
import Foundation

/// Texts about the status in the page's language.
struct StatusTexts: Sendable {
    let words: LocalizedTexts
    let language: PageLanguage

    func name(of purpose: ServicePart.Purpose) -> String {
        words.text("status.\(purpose.rawValue)")
    }

    func text(of state: ServicePart.State) -> String { words.text("status.\(state.rawValue)") }

    func name(of kind: ProcessRecord.Kind) -> String { words.text("status.\(kind.rawValue)") }

    func since(_ instant: Date) -> String {
        words.text("status.since", ["time": instant.text(inUTCFor: language)])
    }

    func lastSeen(_ instant: Date) -> String {
        words.text("status.lastSeen", ["time": instant.text(inUTCFor: language)])
    }

    /// `48 MiB`
    func memory(_ bytes: Int) -> String { "\(bytes / 1_048_576) MiB" }

    /// `15 %` of one core.
    func cpu(_ share: Double) -> String {
        let percent = Int((share * 100).rounded())
        return percent == 0 ? words.text("status.underCPU") : "\(percent) %"
    }

    /// In tens, rounded down: `under 10`, `20 and more`.
    func connections(_ count: Int) -> String {
        count == 0 ? words.text("status.underTen") : words.text("status.andMore", ["count": String(count)])
    }

    /// Whole numbers, rounded down: `under 1/s`, `12/s`.
    func rate(_ rate: Int) -> String {
        rate == 0 ? words.text("status.underOne") : words.text("status.perSecond", ["count": String(rate)])
    }

    /// Versions and environment.
    func facts(_ status: SystemStatus) -> [StatusPage.Fact] {
        let versions = status.versions
        let disk = status.disk.map {
            words.text("status.free", ["free": gigabytes($0.free), "total": gigabytes($0.total)])
        }
        let facts = [
            (words.text("status.product"), "Happiness Metric \(versions.product)"),
            (words.text("status.swift"), versions.swift), (words.text("status.system"), versions.system),
            (words.text("status.store"), versions.store),
            (words.text("status.schema"), versions.schema ?? words.text("status.unknown")),
            (words.text("status.disk"), disk ?? words.text("status.unknown")),
        ]
        return facts.map { StatusPage.Fact(name: $0.0, value: $0.1) }
    }

    /// `12.3 GB`
    private func gigabytes(_ bytes: Int) -> String {
        let tenths = bytes / 100_000_000
        return "\(tenths / 10)\(words.text("calendar.decimalPoint"))\(tenths % 10) GB"
    }
}
