import Domain
import Storage

extension Store {
    /// Requires a caller who manages the team: its leads, admins and the operator. Read from the store each time, so a
    /// change applies immediately.
    /// - Throws: `AppError`: `notFound` for a team the caller must not know of, `forbidden` for its other members.
    func requireManager(_ caller: Caller, of teamID: Team.ID) async throws {
        guard case .user(let userID) = caller else { return }
        let membership = try await membership(of: userID, in: teamID)
        if membership?.role == .lead { return }
        if try await user(userID)?.isActiveAdmin == true { return }
        throw membership == nil ? AppError.noSuchTeam : AppError.notAllowed
    }
}
