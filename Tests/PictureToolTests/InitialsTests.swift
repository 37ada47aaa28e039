import Foundation
import Logging
import Services
import Testing

@testable import HappinessAPI

/// Default pictures.
@Suite struct InitialsTests {
    private static let maker = PictureProcess(logger: Logger(label: "pictures"))

    @Test(arguments: ["MH", "Ä", "ØÞ", "ЖЩ", "山田", "<&", "i", "", "\u{10FFFD}", "👩‍👧", "\0"])
    func `Any letters give a picture`(letters: String) async throws {
        let found = try #require(await Self.draw(letters, "#1f6f8b", 512))
        #expect(found.format == "PNG" && found.width == 512 && found.height == 512 && found.mode == "RGB")
        #expect(found.colors[0] == [0x1f, 0x6f, 0x8b], "the corner is ground")
    }

    @Test func `Letters are white in the middle`() async throws {
        // An I is a bar in the middle; left and right of it is background.
        let found = try #require(await Self.draw("I", "#aa2200", 96))
        #expect(found.colors[4] == [255, 255, 255])
        #expect(found.colors[3] == [0xaa, 0x22, 0] && found.colors[5] == [0xaa, 0x22, 0])
    }

    @Test func `Letters missing in the font become a head and shoulders`() async throws {
        let missing = try #require(await Self.draw("\u{10FFFD}", "#aa2200", 512))
        let empty = try #require(await Self.draw("", "#aa2200", 512))
        #expect(missing.colors == empty.colors)
        #expect(missing.colors[7] == [255, 255, 255], "shoulders")
    }

    private static func draw(
        _ letters: String, _ color: String, _ side: Int
    ) async throws -> PictureCorpus.Findings? {
        try await PictureCorpus.inspect([await maker.initials(letters, on: color, side: side)]).first
    }
}
