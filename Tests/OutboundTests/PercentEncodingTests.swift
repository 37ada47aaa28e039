import Outbound
import Testing

@Suite struct PercentEncodingTests {
    @Test func `Every octet except the unreserved ones is encoded once, in capitals`() {
        #expect(PercentEncoding.path("/a b/ü+=%2F~_-.") == "/a%20b/%C3%BC%2B%3D%252F~_-.")
        #expect(PercentEncoding.encode("a/b c") == "a%2Fb%20c")
    }

    @Test func `A form keeps the order of its fields, and a name may occur twice`() {
        #expect(PercentEncoding.form([("b", "1&2=3"), ("a", "x y"), ("b", "")]) == "b=1%262%3D3&a=x%20y&b=")
    }
}
