import Domain
import Foundation
import Logging
import PictureToolInterface
import Services
import Testing

@testable import HappinessAPI

/// The output of the built program, run like the server runs it.
@Suite struct MadePictureTests {
    private static let maker = PictureProcess(logger: Logger(label: "pictures"))
    private static let large = MadePicture.Form(.large, .webp)
    /// Red and green above blue and yellow.
    private static let quarters = [[200, 30, 30], [30, 160, 30], [30, 30, 200], [220, 200, 30]]

    @Test func `Every size has its dimensions and format`() async throws {
        try await PictureCorpus.with("kinds") { corpus in
            let made = try await Self.maker.make(from: corpus.path("plain.jpg"))
            #expect(made.forms.count == 4)
            let findings = try await PictureCorpus.inspect(made.forms.map(\.value))
            #expect(findings.count == 4)
            for ((form, bytes), found) in zip(made.forms, findings) {
                #expect(found.format == (form.format == .webp ? "WEBP" : "JPEG"))
                #expect(found.width == form.size.rawValue && found.height == form.size.rawValue)
                #expect(found.mode == "RGB")
                #expect(bytes.count < 100_000)
            }
        }
    }

    @Test func `JPEGs are progressive`() async throws {
        try await PictureCorpus.with("kinds") { corpus in
            let made = try await Self.maker.make(from: corpus.path("plain.png"))
            let jpeg = try #require(made.forms[MadePicture.Form(.large, .jpeg)])
            #expect(try PictureParts.ofJPEG(jpeg).contains(0xc2))
        }
    }

    @Test func `Every kind of JPEG, PNG and WebP looks as it did`() async throws {
        try await PictureCorpus.with("kinds") { corpus in
            for name in try corpus.names() {
                try await Self.expectQuarters(corpus.path(name), [Self.large, MadePicture.Form(.small, .jpeg)])
            }
        }
    }

    @Test func `Every orientation comes out upright`() async throws {
        try await PictureCorpus.with("upright") { corpus in
            let names = try corpus.names()
            #expect(names.count == 24)
            for name in names { try await Self.expectQuarters(corpus.path(name), [Self.large]) }
        }
    }

    @Test func `Grey stays grey, and transparent areas become white`() async throws {
        try await PictureCorpus.with("bare") { corpus in
            for name in try corpus.names() {
                let wanted = name.hasPrefix("grey") ? 120 : 255
                let found = try #require(await Self.inspect(corpus.path(name), [Self.large]).first)
                #expect(found.colors.joined().allSatisfy { abs($0 - wanted) < 6 }, "\(name) \(found.colors)")
            }
        }
    }

    @Test func `Every shape becomes a square`() async throws {
        try await PictureCorpus.with("shapes") { corpus in
            for name in try corpus.names() {
                let found = try #require(await Self.inspect(corpus.path(name), [Self.large]).first)
                #expect(found.width == 512 && found.height == 512, "\(name)")
            }
        }
    }

    @Test func `No metadata of a picture is left`() async throws {
        try await PictureCorpus.with("tagged") { corpus in
            for name in try corpus.names() {
                let source = try [UInt8](Data(contentsOf: URL(filePath: corpus.path(name))))
                #expect(source.contains("SECRET".utf8), "\(name) would prove nothing")
                try await Self.expectBare(try await Self.maker.make(from: corpus.path(name)), name)
            }
        }
    }

    @Test func `Nothing else that a file contains is in the result`() async throws {
        try await PictureCorpus.with("polyglots") { corpus in
            for name in try corpus.names() {
                try await Self.expectBare(try await Self.maker.make(from: corpus.path(name)), name)
            }
        }
    }

    /// Their decoders stop before the extra data; exceeding the limits would kill the program.
    @Test func `Bombs behind a small picture cost nothing`() async throws {
        try await PictureCorpus.with("bombs") { corpus in
            for name in try corpus.names() {
                let start = ContinuousClock.now
                do {
                    _ = try await Self.maker.make(from: corpus.path(name))
                } catch let error as AppError {
                    #expect(error.reason == .pictureUnreadable, "\(name)")
                }
                #expect(ContinuousClock.now - start < .seconds(30), "\(name)")
            }
        }
    }

    /// All forms at once, since each start of Python takes long.
    private static func inspect(_ path: String, _ forms: [MadePicture.Form]) async throws -> [PictureCorpus.Findings] {
        let made = try await maker.make(from: path)
        var pictures: [[UInt8]] = []
        for form in forms { pictures.append(try #require(made.forms[form])) }
        let findings = try await PictureCorpus.inspect(pictures)
        try #require(findings.count == forms.count)
        return findings
    }

    private static func expectQuarters(_ path: String, _ forms: [MadePicture.Form]) async throws {
        for found in try await inspect(path, forms) {
            // The corners of the nine places.
            for (place, wanted) in zip([0, 2, 6, 8], quarters) {
                let differences = zip(found.colors[place], wanted).map { abs($0 - $1) }
                // Print colours differ from screen colours.
                #expect(differences.allSatisfy { $0 < (path.contains("cmyk") ? 90 : 12) }, "\(path) \(found.colors)")
            }
        }
    }

    private static func expectBare(_ made: MadePicture, _ name: String) async throws {
        let findings = try await PictureCorpus.inspect(made.forms.map(\.value))
        try #require(findings.count == made.forms.count)
        for ((form, bytes), found) in zip(made.forms, findings) {
            for words in ["SECRET", "Exif", "EXIF", "XMP", "xmp", "ICC", "acsp", "8BIM", "Photoshop", "http"] {
                #expect(!bytes.contains(words.utf8), "\(name) \(form): \(words)")
            }
            switch form.format {
            // Start, JFIF, tables, frame, scans, end (ITU-T T.81, table B.1): neither APP1 to APP15 nor a comment.
            case .jpeg:
                let allowed: Set<UInt8> = [0xd8, 0xe0, 0xdb, 0xc2, 0xc4, 0xda, 0xd9, 0xdd]
                #expect(try Set(PictureParts.ofJPEG(bytes)).isSubset(of: allowed), "\(name)")
            case .webp: #expect(try PictureParts.ofWebP(bytes) == ["VP8 "], "\(name)")
            }
            #expect(found.exif == 0, "\(name)")
            let harmless: Set = [
                "jfif", "jfif_version", "jfif_unit", "jfif_density", "progression", "progressive", "dpi",
                "loop", "background", "timestamp", "duration",
            ]
            #expect(found.info.isSubset(of: harmless), "\(name) \(found.info)")
        }
    }
}
