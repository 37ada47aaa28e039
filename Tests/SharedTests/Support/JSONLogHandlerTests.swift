import Foundation
import Logging
import Services
import Synchronization
import Testing

/// A program that collects logs reads one object from each line.
@Suite struct JSONLogHandlerTests {
    private static func lines(_ body: (inout Logger) -> Void) throws -> [[String: Any]] {
        let written = Mutex(Data())
        var logger = Logger(label: "api") { label in
            JSONLogHandler(label: label) { data in written.withLock { $0.append(data) } }
        }
        body(&logger)
        let text = String(decoding: written.withLock { $0 }, as: UTF8.self)
        #expect(text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `An event is a line, whatever its text contains`() throws {
        let lines = try Self.lines { logger in
            logger[metadataKey: "process"] = "1"
            logger.debug("Not logged")
            logger.warning("A \"quote\"\nand a line", metadata: ["path": "/a/ü", "parts": ["a", "b"], "process": "2"])
            logger.info("Plain")
        }
        #expect(lines.count == 2)
        #expect(lines[0]["message"] as? String == "A \"quote\"\nand a line")
        #expect(lines[0]["level"] as? String == "warning" && lines[0]["label"] as? String == "api")
        let metadata = try #require(lines[0]["metadata"] as? [String: String])
        #expect(metadata["path"] == "/a/ü" && metadata["process"] == "2" && metadata["parts"]?.contains("b") == true)
        #expect(lines[1]["metadata"] as? [String: String] == ["process": "1"])
    }

    @Test func `The time has milliseconds and is in UTC`() throws {
        let before = Date.now.addingTimeInterval(-0.001)
        let lines = try Self.lines { $0.notice("Now") }
        let text = try #require(lines.first?["time"] as? String)
        let time = try Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z?/) != nil, "\(text)")
        #expect(before...Date.now ~= time)
    }
}
