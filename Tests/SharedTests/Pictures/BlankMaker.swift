import Domain
import Services

/// Creates pictures without content, for tests about their handling.
struct BlankMaker: PictureMaker {
    /// Runs before a picture is returned.
    var meanwhile: @Sendable () async throws -> Void = {}

    func make(from path: String) async throws -> MadePicture {
        try await meanwhile()
        var forms: [MadePicture.Form: [UInt8]] = [:]
        for size in ProfilePicture.Size.allCases {
            for format in ProfilePicture.Format.allCases { forms[.init(size, format)] = [1, 2, 3] }
        }
        return MadePicture(forms: forms)
    }

    func initials(_ letters: String, on color: String, side: Int) async throws -> [UInt8] { [] }
}
