/// Unicode in the letters that a domain name may have (RFC 3492): `müller` is `mller-kva`.
///
/// Our own, because a stored address must stay the same whichever library and Unicode version a program has.
enum Punycode {
    /// The parameters of RFC 3492 §5.
    private static let base = 36
    private static let least = 1
    private static let most = 26
    private static let skew = 38
    private static let damp = 700
    private static let firstBias = 72
    private static let firstPoint = 0x80
    private static let hyphen = UInt8(ascii: "-")

    /// The ASCII form, without `xn--` (RFC 3492 §6.3).
    /// - Parameter label: a few dozen characters; the time grows with the square.
    static func encoded(_ label: some StringProtocol) -> String {
        let points = label.unicodeScalars.map { Int($0.value) }
        var output = points.filter { $0 < firstPoint }.map { UInt8($0) }
        let basic = output.count
        if basic > 0 { output.append(hyphen) }
        var (handled, point, delta, bias) = (basic, firstPoint, 0, firstBias)
        while let next = points.filter({ $0 >= point }).min() {
            delta += (next - point) * (handled + 1)
            point = next
            for other in points {
                if other < point { delta += 1 }
                guard other == point else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, points: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            point += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The text of an ASCII form without `xn--` (RFC 3492 §6.2); `nil` if it is none.
    /// - Parameter label: in lower case.
    static func decoded(_ label: some StringProtocol) -> String? {
        let bytes = Array(label.utf8)
        let end = bytes.lastIndex(of: hyphen)
        guard end != 0, bytes.count < 64, bytes.allSatisfy({ $0 < firstPoint }) else { return nil }
        var output = bytes.prefix(end ?? 0).map { Unicode.Scalar($0) }
        var rest = bytes.dropFirst(end.map { $0 + 1 } ?? 0)
        var (point, place, bias) = (firstPoint, 0, firstBias)
        while !rest.isEmpty {
            let start = place
            var (weight, position) = (1, base)
            while true {
                guard let byte = rest.popFirst(), let value = number(of: byte) else { return nil }
                place += value * weight
                let threshold = limit(at: position, bias: bias)
                if value < threshold { break }
                weight *= base - threshold
                position += base
                // Larger than any code point at any place, and far from an overflow.
                guard weight < 1 << 32, place < 1 << 32 else { return nil }
            }
            let count = output.count + 1
            bias = adapted(place - start, points: count, isFirst: start == 0)
            point += place / count
            place %= count
            guard let scalar = UInt32(exactly: point).flatMap({ Unicode.Scalar($0) }) else { return nil }
            output.insert(scalar, at: place)
            place += 1
        }
        return String(String.UnicodeScalarView(output))
    }

    /// A number as a generalised variable-length integer (RFC 3492 §3.3).
    private static func digits(of number: Int, bias: Int) -> [UInt8] {
        var digits: [UInt8] = []
        var (rest, position) = (number, base)
        while true {
            let threshold = limit(at: position, bias: bias)
            guard rest >= threshold else { break }
            digits.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        digits.append(digit(rest))
        return digits
    }

    private static func limit(at position: Int, bias: Int) -> Int {
        min(max(position - bias, least), most)
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, points: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / points
        var steps = 0
        while delta > (base - least) * most / 2 {
            delta /= base - least
            steps += base
        }
        return steps + (base - least + 1) * delta / (delta + skew)
    }

    /// `a` to `z` are 0 to 25, and `0` to `9` are 26 to 35.
    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value) + (value < 26 ? UInt8(ascii: "a") : UInt8(ascii: "0") - 26)
    }

    private static func number(of digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0")) + 26
        default: nil
        }
    }
}
