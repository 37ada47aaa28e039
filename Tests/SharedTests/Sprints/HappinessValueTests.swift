import Domain
import Testing

/// Values of votes as received.
@Suite struct HappinessValueTests {
    @Test func `Every tenth from zero to ten is accepted exactly`() throws {
        for tenths in 0...100 {
            #expect(try Happiness(Double(tenths) / 10).tenths == tenths)
            #expect(try Happiness(text: "\(tenths / 10).\(tenths % 10)").tenths == tenths)
        }
    }

    @Test(arguments: ["7", "7.0", "07", "7.00"])
    func `Spellings of seven are seven`(text: String) throws {
        #expect(try Happiness(text: text).tenths == 70)
    }

    @Test(arguments: [-0.1, 10.1, .nan, .infinity, -.infinity, 1e300, 5.55, 0.01, 9.999])
    func `Numbers off the scale or between tenths are refused`(value: Double) {
        let error = #expect(throws: AppError.self) { try Happiness(value) }
        #expect(error?.code == .unprocessable)
    }

    @Test(arguments: ["", ".", "7.", ".5", "-1", "+7", "7,5", "1e1", "0x7", "nan", "inf", " 7", "7 ", "٧", "7.5.1"])
    func `Texts that are no plain number are malformed`(text: String) {
        let error = #expect(throws: AppError.self) { try Happiness(text: text) }
        #expect(error?.code == .malformed)
    }

    @Test(arguments: ["11", "10.1", "5.55", "9999999999999999"])
    func `Texts off the scale are refused`(text: String) {
        let error = #expect(throws: AppError.self) { try Happiness(text: text) }
        #expect(error?.code == .unprocessable)
    }
}
