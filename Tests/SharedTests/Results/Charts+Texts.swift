import Foundation
import TestSupport

@testable import Domain

/// The program's own texts in the language of a tag.
private func original(_ language: String) -> LocalizedTexts { Texts.original[MailLocale(tag: language)] }

extension ChartTexts {
    init(language: String, zone: TimeZone = .gmt) {
        self.init(original(language), zone: zone)
    }
}

extension ChartLayout {
    init(size: HistoryChart.Size, points: [HistoryPoint], hasHeading: Bool = true) {
        self.init(size: size, points: points, hasHeading: hasHeading, words: ChartTexts(language: "en"))
    }
}

extension HistoryChart {
    init(
        teamName: String, points: [HistoryPoint], marks: [HistoryMark] = [], appearance: Appearance = .auto,
        language: String = "en", zone: TimeZone = .gmt, size: Size = Size(), id: String = "hm-chart", page: Page? = nil
    ) {
        self.init(
            teamName: teamName, points: points, marks: marks, appearance: appearance, words: original(language),
            zone: zone, size: size, id: id, page: page)
    }
}

extension ParticipationChart {
    init(bars: [Bar], language: String, zone: TimeZone, size: HistoryChart.Size, id: String) {
        self.init(bars: bars, words: original(language), zone: zone, size: size, id: id)
    }
}
