import Crypto
import Foundation
import Ports
import Services
import TestSupport
import Testing

@testable import Domain

/// Links to pictures, and default pictures.
@Suite struct PictureLinksTests {
    private static func links(_ objects: any ObjectStore, at clock: SettableClock) -> PictureLinks {
        PictureLinks(
            objects: objects, secrets: Secrets(jwt: Accounts.secret, ballot: TestTeam.secret),
            publicURL: "https://happiness.example/team", clock: clock.wall)
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `A link stays for the hour and has at least an hour left`(kind: ObjectStoreUnderTest) async throws {
        try await kind.withStore { objects in
            let hour = Date(timeIntervalSince1970: 1_800_000_000)
            let clock = SettableClock(hour)
            let links = Self.links(objects, at: clock)
            let picture = ProfilePicture(uploadedAt: hour)
            let first = links.link(to: picture, .large, .webp)
            #expect(first.ends == hour + 7_200)
            for seconds in [1.0, 1_000, 2_598] {
                clock.advance(by: seconds)
                #expect(links.link(to: picture, .large, .webp) == first)
                #expect(first.ends.timeIntervalSince(clock.now) >= 3_600)
            }
            clock.advance(by: 1)
            let next = links.link(to: picture, .large, .webp)
            #expect(next != first && next.ends == hour + 10_800)
            #expect(links.link(to: picture, .small, .webp) != next)
            #expect(next.url.hasPrefix("https://happiness.example/team/pictures/") == (kind == .file))
        }
    }

    @Test func `Initials are the first letters of the first two words`() {
        let cases = [
            ("anna", "A"), ("Anna Maria Berg", "AM"), ("anna.berg", "AB"), ("o'neill", "ON"), ("Ümit Ö.", "ÜÖ"),
            ("ßtefan", "S"), ("42 is it", "4I"), ("🙂", "?"), ("  -- ", "?"), ("жанна", "Ж"), ("李 小龍", "李小"),
            ("e\u{301}mile", "É"),
        ]
        for (name, letters) in cases {
            #expect(DefaultPicture.initials(of: name.precomposedStringWithCanonicalMapping) == letters, "\(name)")
        }
    }

    @Test func `A default picture is read from its file name`() throws {
        for name in ["anna", "Ümit Ö.", "李 小龍", "🙂"] {
            let user = User(name: try UserName(name), email: try EmailAddress("a@example.org"))
            for size in ProfilePicture.Size.allCases {
                let picture = DefaultPicture(of: user, size: size)
                #expect(picture == DefaultPicture(of: user, size: size))
                #expect(DefaultPicture(fileName: picture.fileName) == picture)
                #expect(ObjectKey(picture.fileName) != nil, "safe in a path of a URL")
            }
        }
        for name in ["", "41-1f6f43-96", "41-1f6f43-97.png", "41-000000-96.png", "4-1f6f43-96.png", "ff-1f6f43-96.png"]
        {
            #expect(DefaultPicture(fileName: name) == nil, "\(name)")
        }
    }

    /// WCAG 2.2, 1.4.3: 4.5 to 1. Relative luminance as defined there.
    @Test func `White is legible on every colour`() throws {
        for color in DefaultPicture.palette {
            let bytes = try #require([UInt8](hexadecimal: String(color.dropFirst())))
            let parts = bytes.map { byte in
                let value = Double(byte) / 255
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
            let luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
            #expect(1.05 / (luminance + 0.05) >= 4.5, "\(color)")
        }
        let users = (0..<200).map { _ in User.ID.random() }
        let colors = Set(
            try users.map { id in
                DefaultPicture(
                    of: User(id: id, name: try UserName("Anna"), email: try EmailAddress("a@example.org")), size: .small
                ).color
            })
        #expect(colors.count > DefaultPicture.palette.count / 2, "people are told apart")
    }
}
