package import Domain

/// What was deleted at a person's request.
package protocol DeletionRows {
    /// All deletions, ordered by hash.
    func deletions() throws -> [Deletion]
}

/// Changes of what is remembered, each row by itself.
package protocol DeletionWrites {
    /// Adds deletions. Those that are known get the new day.
    func remember(_ deletions: [Deletion]) throws

    /// Forgets deletions, whatever their days.
    func forget(_ deletions: [Deletion]) throws
}

/// Deletions that are remembered in the transaction that deletes.
package protocol DeletionChanges {
    /// Remembers a deletion. Does nothing if it is known.
    func insert(_ deletion: Deletion) throws
}
