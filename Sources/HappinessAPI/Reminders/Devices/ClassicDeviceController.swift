import Domain
import Hummingbird
import Services

/// `/user/registerDevice`, for updated clients that otherwise use the first API.
struct ClassicDeviceController: Sendable {
    let devices: DeviceService
    let teams: ClassicTeams
    let answers: AnswerLanguage

    private struct RegistrationRequest: Decodable {
        let token: String
        /// A string, so that the error for an unknown platform can list the known ones.
        let platform: String
    }

    /// `POST /user/registerDevice`: registers a Firebase token, for Android and iOS alike.
    func register(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await ClassicBody.decode(RegistrationRequest.self, from: request)
        guard let platform = Device.Platform(rawValue: body.platform), platform != .web else {
            throw AppError(.malformed, "platform must be one of: android, ios.")
        }
        let registration = try DeviceRegistration(address: try .fcm(validating: body.token), platform: platform)
        _ = try await teams.defaultTeam(of: caller)
        _ = try await devices.register(registration, by: caller)
        return try await answers.response(Sentence("Your device was registered."), to: request, of: caller)
    }
}
