import Foundation

/// A face that shows a happiness value, drawn by `templates/partials/face.mustache`.
///
/// Each part has one attribute that changes. Between two of the poses below, all numbers in the attribute's text change
/// linearly, here and in `face.js`, which reads the poses from the drawing and contains no other data about faces.
struct Face: Sendable {
    /// The value, 0...10; `nil` while there is none: the face then sleeps.
    let happiness: Double?
    /// Colour of the head.
    let fill: String
    /// Opacity of the cheeks.
    let cheeks: String
    /// Path of both brows.
    let brows: String
    /// Path of both eyes.
    let eyes: String
    /// Path of the mouth.
    let mouth: String
    /// All poses for `face.js`: parts in the order above, separated by `;`, poses from 0 to 10, separated by `|`.
    let poses: String
    /// Whether there is no value.
    let isAsleep: Bool

    init(_ happiness: Double?) {
        self.happiness = happiness
        let texts = happiness.map { FacePose.pose(at: $0 / 10).texts } ?? FacePose.asleep
        fill = texts[0]
        cheeks = texts[1]
        brows = texts[2]
        eyes = texts[3]
        mouth = texts[4]
        poses = FacePose.all.map { $0.texts.joined(separator: ";") }.joined(separator: "|")
        isAsleep = happiness == nil
    }
}

/// The numbers of a face in a square of 120 units.
private struct FacePose {
    /// Red, green, blue.
    let colour: [Double]
    let cheeks: Double
    /// Vertical positions of a brow's ends; its middle bends upwards slightly.
    let brow: (outer: Double, inner: Double)
    /// Top and bottom of an eye.
    let eye: (top: Double, bottom: Double)
    /// Half the width of the mouth, and the vertical positions of its corners and of the control points of both lips.
    let mouth: (half: Double, corners: Double, upper: Double, lower: Double)

    /// At 0, 2.5, 5, 7.5 and 10. The colours are those of `--happy-…` in app.css.
    static let all = [
        FacePose(colour: [135, 149, 214], cheeks: 0, brow: (44, 34), eye: (51, 57), mouth: (19, 91, 71, 71)),
        FacePose(colour: [143, 176, 220], cheeks: 0, brow: (41, 35), eye: (50, 58), mouth: (18, 87, 76, 76)),
        FacePose(colour: [166, 207, 205], cheeks: 0, brow: (37, 35), eye: (49, 58), mouth: (18, 82, 82, 82)),
        FacePose(colour: [214, 215, 138], cheeks: 0.35, brow: (35, 33), eye: (47, 57), mouth: (22, 77, 95, 95)),
        FacePose(colour: [248, 195, 79], cheeks: 0.6, brow: (33, 30), eye: (44, 55), mouth: (27, 73, 79, 114)),
    ]
    /// The attributes of a face with closed eyes. No value leads to it.
    static var asleep: [String] {
        var texts = FacePose(
            colour: [166, 207, 205], cheeks: 0, brow: (40, 39), eye: (0, 0), mouth: (10, 81, 86, 86)
        ).texts
        texts[3] = pair { centre, _ in path("M%Q%%", [centre - 7, 53, centre, 60, centre + 7, 53]) }
        return texts
    }

    /// The values of all attributes, in the order of `Face`.
    var texts: [String] {
        let colour = colour.map { $0.rounded().formattedForSVG }.joined(separator: " ")
        let brows = Self.pair { centre, side in
            let outer = centre - side * 8
            let inner = centre + side * 7
            let bend = (brow.outer + brow.inner) / 2 - 4
            return Self.path("M%Q%%", [outer, brow.outer, centre, bend, inner, brow.inner])
        }
        let eyes = Self.pair { centre, _ in Self.path("M%L%", [centre, eye.top, centre, eye.bottom]) }
        let left = 60 - mouth.half
        let right = 60 + mouth.half
        let lips = Self.path(
            "M%Q%%Q%%Z",
            [left, mouth.corners, 60, mouth.upper, right, mouth.corners, 60, mouth.lower, left, mouth.corners])
        return ["rgb(\(colour))", cheeks.formattedForSVG, brows, eyes, lips]
    }

    /// Draws the left and the right eye; `side` is the direction of the nose.
    private static func pair(_ draw: (_ centre: Double, _ side: Double) -> String) -> String {
        draw(42, 1) + draw(78, -1)
    }

    /// Replaces each `%` in a path by a number.
    private static func path(_ pattern: String, _ numbers: [Double]) -> String {
        var rest = numbers[...]
        return pattern.map { sign in
            sign == "%" ? "\(rest.removeFirst().formattedForSVG) \(rest.removeFirst().formattedForSVG) " : "\(sign)"
        }.joined()
    }

    /// - Parameter share: position between the first pose and the last, 0...1.
    static func pose(at share: Double) -> FacePose {
        let place = min(max(share, 0), 1) * Double(all.count - 1)
        let index = min(Int(place), all.count - 2)
        let (from, to, part) = (all[index], all[index + 1], place - Double(index))
        func between(_ first: Double, _ second: Double) -> Double { first + (second - first) * part }
        return FacePose(
            colour: zip(from.colour, to.colour).map { between($0, $1) }, cheeks: between(from.cheeks, to.cheeks),
            brow: (between(from.brow.outer, to.brow.outer), between(from.brow.inner, to.brow.inner)),
            eye: (between(from.eye.top, to.eye.top), between(from.eye.bottom, to.eye.bottom)),
            mouth: (
                between(from.mouth.half, to.mouth.half), between(from.mouth.corners, to.mouth.corners),
                between(from.mouth.upper, to.mouth.upper), between(from.mouth.lower, to.mouth.lower)
            ))
    }
}

extension Double {
    /// At most two decimal places, and no `.0`.
    fileprivate var formattedForSVG: String {
        let hundredths = Int((self * 100).rounded())
        if hundredths % 100 == 0 { return String(hundredths / 100) }
        return String(Double(hundredths) / 100)
    }
}
