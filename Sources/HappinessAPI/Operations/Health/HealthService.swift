import Domain
import Services

/// Checks the parts of the installation for the page about its health.
///
/// A look at the page waits for no check longer than `ServicePart.patience`, and starts none that has run within a
/// minute or still runs: many looks cost as much as one.
actor HealthService {
    /// One check, which may find several things.
    struct Check: Sendable {
        /// As `Finding.part` of what it finds.
        let part: String
        let run: @Sendable () async -> [Finding]

        init(part: String, run: @escaping @Sendable () async -> [Finding]) {
            self.part = part
            self.run = run
        }
    }

    /// How long a result is shown again.
    private static let memory = Duration.seconds(60)

    private let checks: [Check]
    private let processes: ProcessService
    private let patience: Duration
    private var known: [Int: (findings: [Finding], until: ContinuousClock.Instant)] = [:]
    private var running: [Int: Task<[Finding], Never>] = [:]

    /// - Parameters:
    ///   - checks: in the order of the page.
    ///   - processes: knows who may look.
    ///   - patience: how long a look waits.
    init(checks: [Check], processes: ProcessService, patience: Duration = ServicePart.patience) {
        self.patience = patience
        self.checks = checks
        self.processes = processes
    }

    /// What all checks found, in their order. A check that takes too long is such a finding.
    /// - Throws: `AppError.forbidden`.
    func findings(by caller: Caller) async throws -> [Finding] {
        try await processes.admit(caller)
        return await withTaskGroup(of: (Int, [Finding]).self) { group in
            for index in checks.indices {
                group.addTask { (index, await self.findings(of: index)) }
            }
            var found: [Int: [Finding]] = [:]
            for await (index, findings) in group { found[index] = findings }
            return checks.indices.flatMap { found[$0] ?? [] }
        }
    }

    /// Has the next look check this part again, since someone has just done something about it.
    func forget(_ part: String) {
        for (index, check) in checks.enumerated() where check.part == part { known[index] = nil }
    }

    private func findings(of index: Int) async -> [Finding] {
        if let known = known[index], ContinuousClock.now < known.until { return known.findings }
        let task = running[index] ?? start(index)
        if let found = await TimeLimit.run(patience, { await task.value }) { return found }
        return [Finding(.advice, checks[index].part, "The check still runs.", .slow)]
    }

    private func start(_ index: Int) -> Task<[Finding], Never> {
        // Unstructured, since it goes on when the look at the page that started it has ended.
        let task = Task { await self.check(index) }
        running[index] = task
        return task
    }

    private func check(_ index: Int) async -> [Finding] {
        let found = await checks[index].run()
        known[index] = (found, ContinuousClock.now + Self.memory)
        running[index] = nil
        return found
    }
}
