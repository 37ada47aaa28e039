import Ports
import Testing

/// `traceparent` by [W3C Trace Context](https://www.w3.org/TR/trace-context/#traceparent-header), §3.2.
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("ff", true)])
    func `The lowest flag says whether the caller records`(flags: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.parent)-\(flags)"))
        #expect(context.traceID == Self.trace && context.parentID == Self.parent)
        #expect(context.isSampled == isSampled)
    }

    @Test func `A later version may have more fields`() {
        #expect(TraceContext(traceparent: "cc-\(Self.trace)-\(Self.parent)-01") != nil)
        #expect(TraceContext(traceparent: "cc-\(Self.trace)-\(Self.parent)-01-what-the-future-brings") != nil)
        #expect(TraceContext(traceparent: "cc-\(Self.trace)-\(Self.parent)-01.what") == nil)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-01-more", "ff-\(trace)-\(parent)-01",
        "0x-\(trace)-\(parent)-01", "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
        "00-\(trace)0-\(parent)-01", "00-\(trace.dropLast())-\(parent)-01", "00-\(trace)-\(parent)-1",
        "00-\(String(repeating: "0", count: 32))-\(parent)-01", "00-\(trace)-\(String(repeating: "0", count: 16))-01",
        " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01",
    ])
    func `An invalid one is ignored`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}
