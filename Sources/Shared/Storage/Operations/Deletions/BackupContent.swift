package import Domain
package import Foundation

/// What a restore looks at in a backup before it changes anything.
package struct BackupContent: Sendable {
    /// Of the secrets that the backup was made with, by name.
    package let fingerprints: [String: [UInt8]]
    /// What had been deleted before; `nil` if the backup is of a version that did not remember it.
    package let deletions: [Deletion]?
    /// When the latest job was due that a worker had begun: the backup is not older. `nil` if no worker was running.
    package let lastJob: Date?

    /// Takes what was read.
    package init(fingerprints: [String: [UInt8]], deletions: [Deletion]?, lastJob: Date?) {
        self.fingerprints = fingerprints
        self.deletions = deletions
        self.lastJob = lastJob
    }
}

/// What a restore takes over from the store that it replaces.
package struct PresentStore: Sendable {
    /// Of the secrets that the store has been used with, by name.
    package let fingerprints: [String: [UInt8]]
    /// What was deleted in it.
    package let deletions: [Deletion]
    /// False for a store that a program has just created.
    package let hasUsers: Bool

    /// Takes what was read.
    package init(fingerprints: [String: [UInt8]], deletions: [Deletion], hasUsers: Bool) {
        self.fingerprints = fingerprints
        self.deletions = deletions
        self.hasUsers = hasUsers
    }
}
