package import Domain
import Foundation
package import Ports
package import Storage

/// The deletions that a restore must repeat: those in the lists beside the backups, and in the store that it replaces.
package struct KnownDeletions: Sendable {
    /// In `DATA_DIR`, what a restore has found, so that it can be repeated after it was interrupted: the store may then
    /// have lost it. Of a restore that changed nothing it is ignored: months later it would hide that a list is missing.
    private static let savedName = "deletions-of-restore"
    /// The same of a restore with `--without-deletions`, if some may be missing. It does not stand in for a list.
    private static let incompleteName = "deletions-of-restore-incomplete"

    /// By hash, the day of the deletion.
    package private(set) var days: [[UInt8]: CalendarDay] = [:]
    /// Why some may be missing, each in a sentence.
    package private(set) var problems: [String] = []
    /// The latest day on which one of the lists was written; `nil` without a list.
    package private(set) var listed: CalendarDay?
    /// From which day on the lists should have what a backup has; `nil` without a list.
    private var since: CalendarDay?

    /// The hashes to compare with.
    package var hashes: Set<[UInt8]> { Set(days.keys) }

    /// As rows of a store.
    package var all: [Deletion] { days.map { Deletion(hash: $0.key, day: $0.value) } }

    /// Reads all places, and changes nothing.
    /// - Parameter bucket: `BACKUP_BUCKET`, if it is set.
    /// - Throws: an error with an operator's message if the store cannot be reached; an error of the file system;
    ///   `CancellationError`.
    package static func read(_ settings: Settings, bucket: (any ObjectStore)?) async throws -> KnownDeletions {
        var known = KnownDeletions()
        let secret = try Secrets.existingBallotSecret(settings)
        if try await settings.store.isRestoreUnfinished() {
            known.add(try DeletionCopies.read(path(savedName, settings)), "in DATA_DIR", secret)
            known.add(
                try DeletionCopies.read(path(incompleteName, settings)), "in DATA_DIR", secret, isComplete: false)
        }
        if let folder = settings.backups?.folder {
            known.add(try DeletionCopies.read(DeletionCopies.file(in: folder)), "in BACKUP_DIR", secret)
        }
        if let bucket {
            do {
                known.add(try await bucket.get(DeletionCopies.key())?.bytes, "in BACKUP_BUCKET", secret)
            } catch let error as ObjectStoreError {
                // The list in the folder has the same.
                if known.listed == nil { known.problems.append(OperatorMessage.text(for: error)) }
            }
        }
        known.add(try await settings.store.present(), secret, hasBackups: settings.backups != nil)
        return known
    }

    /// - Throws: `OperatorError` if deletions may be missing.
    package func require(for backup: BackupContent) throws {
        var problems = problems
        if let stored = backup.deletions {
            if let since, stored.contains(where: { $0.day >= since && days[$0.hash] == nil }) {
                problems.append("The list of deletions is older than the backup, or has lost entries.")
            }
            if let since, let lastJob = backup.lastJob, CalendarDay(instant: lastJob, in: .gmt) < since {
                problems.append(
                    "The backup is too old: the list has no deletions before \(since), when no daily backup was older.")
            }
        } else {
            problems.append("This backup is of a version that kept no list of deletions.")
        }
        guard !problems.isEmpty else { return }
        throw OperatorError(
            """
            \(problems.joined(separator: "\n"))
            Nothing was changed: people who were deleted after this backup could come back. Bring the list back, or \
            add --without-deletions, which repeats only the deletions that are known.
            """)
    }

    /// Keeps this for the case that the restore is interrupted, also if some may be missing: in MongoDB the store that is
    /// replaced is then gone.
    /// - Throws: `OperatorError` or an error of the file system.
    package func save(_ settings: Settings, secret: BallotSecret, on day: CalendarDay) throws {
        try FileManager.default.createDirectory(
            atPath: settings.dataDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let list = DeletionList(days: days, day: day, since: since)
        let (name, other) =
            problems.isEmpty ? (Self.savedName, Self.incompleteName) : (Self.incompleteName, Self.savedName)
        try DeletionCopies.write(list.encoded(secret: secret), to: Self.path(name, settings))
        // It may be of an earlier restore that changed nothing. Otherwise the new one has what was in it.
        try Self.remove(other, settings)
    }

    /// Removes what `save` kept, after the restore.
    /// - Throws: an error of the file system.
    package static func removeSaved(_ settings: Settings) throws {
        for name in [savedName, incompleteName] { try remove(name, settings) }
    }

    private static func remove(_ name: String, _ settings: Settings) throws {
        let file = path(name, settings)
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
    }

    private static func path(_ name: String, _ settings: Settings) -> String { "\(settings.dataDirectory)/\(name)" }

    /// - Parameter isComplete: whether it can show that nothing is missing.
    private mutating func add(_ bytes: [UInt8]?, _ place: String, _ secret: BallotSecret?, isComplete: Bool = true) {
        guard let bytes else { return }
        do throws(DeletionList.Problem) {
            guard let secret else { throw DeletionList.Problem.otherSecret }
            let list = try DeletionList(bytes, secret: secret)
            days.merge(list.days) { min($0, $1) }
            guard isComplete else { return }
            listed = max(listed ?? list.day, list.day)
            let first = list.since ?? .distantPast
            since = min(since ?? first, first)
        } catch {
            switch error {
            case .otherSecret:
                problems.append("The list of deletions \(place) was written with another BALLOT_SECRET.")
            case .damaged: problems.append("The list of deletions \(place) is damaged.")
            }
        }
    }

    /// - Parameter hasBackups: whether there should be a list. Without one, the store that is replaced must be known.
    private mutating func add(_ store: PresentStore?, _ secret: BallotSecret?, hasBackups: Bool) {
        let isReadable = store.map { store in
            store.deletions.isEmpty || secret.map { Secrets.isKnown($0, to: store.fingerprints) } ?? false
        }
        if isReadable == true {
            for deletion in store?.deletions ?? [] { days[deletion.hash] = deletion.day }
        } else if isReadable == false {
            problems.append("The deletions in the present store were recorded with another BALLOT_SECRET.")
        }
        // What is left says why the deletions may be unknown.
        guard listed == nil, problems.isEmpty else { return }
        if hasBackups {
            problems.append("There is no list of deletions beside the backups.")
        } else if store?.hasUsers != true {
            problems.append(
                "BACKUP_DIR is not set, and there is no store to replace that knows what was deleted since the backup.")
        }
    }
}

extension CalendarDay {
    /// Before every deletion.
    fileprivate static var distantPast: CalendarDay { CalendarDay(instant: .distantPast, in: .gmt) }
}
