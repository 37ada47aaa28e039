import Hummingbird
import Shared

/// `/user/registerDevice`, for updated clients that otherwise use the first API.
struct ClassicDeviceController: Sendable {
    let devices: DeviceService
    let teams: ClassicTeams

    private struct RegistrationRequest: Decodable {
        let token: String
        /// Decoded as text, so that the refusal of another one can name those there are.
        let platform: String
    }

    /// `POST /user/registerDevice`: a token of Firebase, which reaches both kinds of phone.
    func register(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await ClassicBody.decode(RegistrationRequest.self, from: request)
        guard let platform = Device.Platform(rawValue: body.platform), platform != .web else {
            throw AppError(.malformed, "platform must be one of: android, ios.")
        }
        let registration = try DeviceRegistration(address: try .fcm(validating: body.token), platform: platform)
        _ = try await teams.defaultTeam(of: caller)
        _ = try await devices.register(registration, by: caller)
        return try JSONBody.response(ClassicMessage(message: "Your device was registered."))
    }
}
