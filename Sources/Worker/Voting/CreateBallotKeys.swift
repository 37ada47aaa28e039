import Domain
import Services
import Storage

/// Creates the ballot keys of running sprints, so that no voter waits for one: that takes longer than the rest of a
/// vote. A key that is missing until the next run is created for the first voter who needs it. Keys are created one after
/// the other, which leaves the other processors to voters.
struct CreateBallotKeys: JobHandler {
    static let kind = "createBallotKeys"

    let stores: Stores
    let keys: BallotKeyService

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again an hour later.
    let maximumAttempts = 3
    /// What is not done by then is done an hour later.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        try await stores.visitTeams { team in
            guard team.memberCount > 0, let latest = try await stores.read({ try $0.latestSprint(of: team.id) }),
                !latest.state.isClosed
            else { return }
            try await keys.createKey(of: latest.sprint.key)
        }
    }
}
