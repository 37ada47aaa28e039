import Domain

/// The outcome of a part.
struct PartResult: Sendable {
    /// By outcome; `failed` are the recipients whose time limit has passed.
    private(set) var counts = DeliveryCounts()
    /// Users reached in another way, which says nothing about the service that was tried.
    private(set) var countsAside = DeliveryCounts()
    /// Unregistered devices whose owners have been handled.
    private(set) var gone: Set<Device.ID> = []
    /// Number of recipients that could not be reached yet.
    private(set) var unsettled = 0
    /// Why the last of these failed, for operators.
    private(set) var trouble: String?
    /// Whether some of these may succeed later without any intervention.
    private(set) var isPassing = false
    /// The longest wait a service asked for.
    private(set) var retryAfter: Duration?

    init(failed: Int = 0) {
        counts.failed = failed
    }

    /// Sum of both counts.
    var allCounts: DeliveryCounts { counts + countsAside }

    /// Whether any recipient was reached.
    var hasSettled: Bool { counts != DeliveryCounts() }

    /// Whether there were recipients and none could be reached.
    var isStuck: Bool { trouble != nil && !hasSettled }

    /// The same, with all remaining recipients given up.
    var givenUp: Self {
        var result = Self()
        result.counts = counts
        result.counts.failed += unsettled
        return result
    }

    /// Adds the mails to owners of unregistered devices. They do not prove that a push service works again.
    mutating func addAside(_ mails: Self, for devices: Set<Device.ID>) {
        countsAside = countsAside + mails.givenUp.counts
        gone.formUnion(devices)
    }

    /// Keeps of all parts but `one` only the users reached in another way: the others are sent again.
    mutating func startAgain(with one: Self) {
        let aside = countsAside
        self = one
        countsAside = aside
    }

    /// Adds the result of another part.
    static func += (sum: inout Self, other: Self) {
        sum.counts = sum.counts + other.counts
        sum.countsAside = sum.countsAside + other.countsAside
        sum.gone.formUnion(other.gone)
        sum.unsettled += other.unsettled
        sum.trouble = other.trouble ?? sum.trouble
        sum.isPassing = sum.isPassing || other.isPassing
        sum.retryAfter = [sum.retryAfter, other.retryAfter].compactMap { $0 }.max()
    }

    /// - Parameter outcome: `nil` is not counted.
    mutating func count(_ outcome: DeliverySender.Outcome?) {
        switch outcome {
        case .accepted: counts.accepted += 1
        case .mailed: counts.mailed += 1
        case .removed: counts.removed += 1
        case .rejected: counts.refused += 1
        case .unsettled(let reason, let wait, let isPassing):
            unsettled += 1
            trouble = reason
            self.isPassing = self.isPassing || isPassing
            retryAfter = [retryAfter, wait].compactMap { $0 }.max()
        case nil: break
        }
    }
}
