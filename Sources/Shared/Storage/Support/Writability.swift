import Synchronization

/// Whether a store takes writes, as far as this process knows. It only remembers: `SystemStore.ping` proves it.
final class Writability: Sendable {
    private let flag = Atomic<Bool>(true)

    /// False since a write failed for a reason that the next one meets too, such as a full disk.
    var isGiven: Bool { flag.load(ordering: .relaxed) }

    /// A write failed, or the store does not answer.
    func noteFailure() { flag.store(false, ordering: .relaxed) }

    /// A write was stored that needs as much room as any of ours.
    func noteProof() { flag.store(true, ordering: .relaxed) }
}
