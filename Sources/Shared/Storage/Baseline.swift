/// The first migration of each store: the schema of version 0.1.0, the first that anybody installed. It replaces the
/// migrations up to that version (decision 56).
enum Baseline {
    /// What a new store records. A store that 0.1.0 made has recorded all of the replaced migrations instead.
    static let name = "baseline"

    /// - Parameters:
    ///   - recorded: the migrations that a store has recorded.
    ///   - replaced: those of version 0.1.0.
    /// - Returns: what the store has, with `name` in place of `replaced`. Nothing for a new store.
    /// - Throws: `Mismatch` for a store that has neither the baseline nor all of the replaced migrations.
    static func recognised(in recorded: Set<String>, replacing replaced: Set<String>) throws -> Set<String> {
        guard !recorded.isEmpty, !recorded.contains(name) else { return recorded }
        guard recorded.isSuperset(of: replaced) else {
            throw Mismatch(missing: replaced.subtracting(recorded).sorted())
        }
        return recorded.subtracting(replaced).union([name])
    }

    /// A store that a version in development made before 0.1.0.
    struct Mismatch: OperatorProblem, Equatable {
        /// The migrations of 0.1.0 that the store lacks.
        let missing: [String]

        var description: String {
            """
            The store was made by a version in development, and lacks migrations of version 0.1.0: \
            \(missing.joined(separator: ", ")). This program upgrades only stores of 0.1.0 and later. Start version \
            0.1.0 with this store once, or restore its backup into that version, and then upgrade. Or export the \
            results with the version that made the store.
            """
        }
    }
}
