import Foundation
import Logging
import Testing

@testable import HappinessAPI

/// Default pictures.
@Suite struct InitialsTests {
    private static let maker = PictureProcess(logger: Logger(label: "pictures"))

    @Test func `Any letters give a picture`() async throws {
        let all = ["MH", "Ä", "ØÞ", "ЖЩ", "山田", "<&", "i", "", "\u{10FFFD}", "👩‍👧", "\0"]
        var pictures: [[UInt8]] = []
        for letters in all { pictures.append(try await Self.maker.initials(letters, on: "#1f6f8b", side: 512)) }
        let findings = try await PictureCorpus.inspect(pictures)
        #expect(findings.count == all.count)
        for (letters, found) in zip(all, findings) {
            let name = letters.debugDescription
            #expect(found.format == "PNG" && found.mode == "RGB", "\(name)")
            #expect(found.width == 512 && found.height == 512, "\(name)")
            #expect(found.colors[0] == [0x1f, 0x6f, 0x8b], "\(name): the corner is ground")
        }
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
