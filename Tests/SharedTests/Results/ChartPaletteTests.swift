import Foundation
import Testing

@testable import Domain

@Suite struct ChartPaletteTests {
    /// WCAG 2.2, relative luminance.
    private func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour.dropFirst(), radix: 16))
        let channels = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { channel -> Double in
            let part = Double(channel) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    private func contrast(_ one: String, _ other: String) throws -> Double {
        let (first, second) = (try luminance(one), try luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    @Test(arguments: [true, false])
    func `Text and shapes stand out as WCAG asks`(isDark: Bool) throws {
        let palette: ChartPalette = isDark ? .dark : .light
        #expect(try contrast(palette.title, palette.background) >= 7)
        #expect(try contrast(palette.text, palette.background) >= 4.5)
        #expect(try contrast(palette.onLine, palette.line) >= 4.5)
        #expect(try contrast(palette.line, palette.background) >= 3)
    }

    @Test func `The dark style covers every class and is bound to its chart`() {
        let style = ChartPaint.darkStyle(id: "x")
        for paint in ChartPaint.allCases { #expect(style.contains("#x .\(paint.rawValue){")) }
        #expect(style.hasPrefix("@media (prefers-color-scheme:dark){"))
    }
}
