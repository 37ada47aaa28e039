import Domain
import GRDB

/// The schema's history. It starts with the schema of version 0.1.0 (decision 56). A migration is never edited once
/// merged, and it names tables by strings: today's types may not match those it was written for.
///
/// All tables are `WITHOUT ROWID`: a rowid would keep the order in which ballots arrived. Instants are whole seconds if
/// they belong to a sprint, otherwise milliseconds; `userSprints`, `happiness` and `feedback` contain only their
/// sprint's instants.
enum SQLiteMigrations {
    /// Runs the migrations that a file still lacks.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(Baseline.name, merging: replaced) { db, applied in
            // A file of 0.1.0 has this schema. Any other part of its migrations is rejected before.
            guard applied.isEmpty else { return }
            for sql in [people, access, ballots, reminders, experiments, actions, work] { try db.execute(sql: sql) }
        }
        migrator.registerMigration("0026-imported-sprints") { db in
            try db.execute(sql: "ALTER TABLE happiness ADD COLUMN isImported INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("0027-revocations") { db in
            try db.execute(sql: revocations)
        }
        migrator.registerMigration("0028-first-due-times") { db in
            // NULL in jobs of an older process: they count from their latest attempt.
            try db.execute(sql: "ALTER TABLE jobs ADD COLUMN since INTEGER; UPDATE jobs SET since = runAt")
        }
        migrator.registerMigration("0029-pending-mails") { db in
            try db.execute(sql: "ALTER TABLE deliveryBatches ADD COLUMN pending BLOB")
        }
        migrator.registerMigration("0030-signed-papers") { db in
            try db.execute(sql: signedPapers)
        }
        migrator.registerMigration("0031-address-faults") { db in
            // Both or none.
            try db.execute(sql: "ALTER TABLE users ADD COLUMN addressFault TEXT")
            try db.execute(sql: "ALTER TABLE users ADD COLUMN addressFaultSince TEXT")
        }
        migrator.registerMigration("0032-clock") { db in
            try db.execute(sql: clock)
        }
        migrator.registerMigration("0033-deletions") { db in
            try db.execute(
                sql: """
                    CREATE TABLE deletions (hash BLOB NOT NULL PRIMARY KEY, day TEXT NOT NULL) STRICT, WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("0034-set-addresses") { db in
            try db.execute(sql: "ALTER TABLE users ADD COLUMN emailSetOn TEXT")
        }
        migrator.registerMigration("0035-handed-out-passwords") { db in
            // Nobody knows any more who chose the earlier ones, so nobody is asked for another.
            try db.execute(sql: "ALTER TABLE users ADD COLUMN passwordIsHandedOut INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("0036-weekends") { db in
            try db.execute(
                sql: "ALTER TABLE reminderSettings ADD COLUMN weekend TEXT NOT NULL DEFAULT 'saturday sunday'")
        }
        migrator.registerMigration("0037-days-off") { db in
            try db.execute(
                sql: """
                    ALTER TABLE users ADD COLUMN daysOff TEXT NOT NULL DEFAULT '';
                    CREATE INDEX usersByDaysOff ON users (daysOff, id) WHERE daysOff <> '';
                    """)
        }
        migrator.registerMigration("0039-provider-addresses") { db in
            // NULL until the next log-in: which address the provider has named is not known.
            try db.execute(sql: "ALTER TABLE externalIdentities ADD COLUMN emailMark TEXT")
        }
        migrator.registerMigration("0040-search-texts") { db in
            try db.execute(sql: searchTexts)
            let users = try db.rows("SELECT id, name, displayName, email FROM users") { row in
                let id: String = row.value()
                let name: String = row.value()
                let displayName: String? = row.optional()
                let email: String = row.value()
                return (id: id, text: User.searchText(name: name, displayName: displayName, email: email))
            }
            for user in users { try db.change("UPDATE users SET searchText = ? WHERE id = ?", [user.text, user.id]) }
            let teams = try db.rows("SELECT id, name FROM teams") { row in
                let id: String = row.value()
                let name: String = row.value()
                return (id: id, text: NameSearch.text(of: [name]))
            }
            for team in teams { try db.change("UPDATE teams SET searchText = ? WHERE id = ?", [team.text, team.id]) }
        }
        migrator.registerMigration("0043-me-too") { db in
            try db.execute(sql: support)
        }
        return migrator
    }

    /// The migrations that a file has, with the baseline in place of those of 0.1.0.
    /// - Throws: `Baseline.Mismatch`.
    static func applied(in db: Database) throws -> Set<String> {
        try Baseline.recognised(in: migrator.appliedIdentifiers(db), replacing: replaced)
    }

    /// - Throws: `newerVersion`, or `Baseline.Mismatch`, if this program cannot migrate the file.
    static func requireKnown(_ db: Database) throws {
        let known = replaced.union(migrator.migrations)
        guard try migrator.appliedIdentifiers(db).isSubset(of: known) else { throw newerVersion }
        _ = try applied(in: db)
    }

    /// The migrations of version 0.1.0.
    static let replaced: Set = [
        "0001-first-tables", "0002-accounts", "0004-invitations-per-team", "0005-devices", "0006-reminders",
        "0007-deliveries", "0008-reminder-experiments", "0009-pictures", "0010-actions", "0011-client-errors",
        "0012-processes", "0013-own-texts", "0014-released-actions", "0015-cleared-sprints", "0016-folded-names",
        "0017-reminder-timing", "0018-result-mails", "0021-reminder-hours", "0022-display-names",
        "0023-sealed-ballots", "0024-accepted-ballots", "0025-commitments",
    ]

    /// For a file that a later version of the program has migrated.
    static let newerVersion = SQLiteStorageError(
        """
        The SQLite file was migrated by a newer version of this program. Install that version, or restore a backup \
        from before the upgrade.
        """)

    // MARK: - The schema of 0.1.0. Its columns are in the order in which the migrations before 0.1.0 added them.

    /// Of a user's `picture` and `pictureUploadedAt` both have a value or neither has. Objects are looked up by their
    /// picture. `reminderHour` is NULL for the team's hour.
    private static let people = """
        CREATE TABLE teams (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            foldedName TEXT NOT NULL UNIQUE,
            calendar TEXT NOT NULL,
            timeZone TEXT NOT NULL,
            threshold INTEGER NOT NULL,
            policy TEXT NOT NULL,
            graceDays INTEGER NOT NULL,
            feedbackReaders TEXT NOT NULL,
            memberCount INTEGER NOT NULL,
            publicationNumber INTEGER NOT NULL,
            shareTokenHash BLOB UNIQUE,
            actionChanges INTEGER NOT NULL DEFAULT 0,
            ballots TEXT NOT NULL DEFAULT 'any'
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            foldedName TEXT NOT NULL UNIQUE,
            email TEXT NOT NULL,
            foldedEmail TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            passwordHash TEXT,
            isDisabled INTEGER NOT NULL,
            defaultTeam TEXT REFERENCES teams (id),
            locale TEXT NOT NULL,
            pendingEmail TEXT,
            notifiesByPush INTEGER NOT NULL DEFAULT 1,
            notifiesByMail INTEGER NOT NULL DEFAULT 1,
            createdOn TEXT NOT NULL DEFAULT '',
            picture TEXT,
            pictureUploadedAt INTEGER,
            notifiesOfResults INTEGER NOT NULL DEFAULT 0,
            reminderHour INTEGER,
            displayName TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX usersByPicture ON users (picture) WHERE picture IS NOT NULL;
        CREATE INDEX usersByReminderHour ON users (reminderHour, id) WHERE reminderHour IS NOT NULL;

        CREATE TABLE memberships (
            user TEXT NOT NULL REFERENCES users (id),
            team TEXT NOT NULL REFERENCES teams (id),
            role TEXT NOT NULL,
            PRIMARY KEY (user, team)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX membershipsByTeam ON memberships (team, user);
        """

    /// Sessions expire at the beginning of a day (86,400,000 ms), and keep a refresh's time only to allow its
    /// repetition. SQLite deletes a session's devices however the session ends.
    private static let access = """
        CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            user TEXT NOT NULL REFERENCES users (id),
            device TEXT NOT NULL,
            expires INTEGER NOT NULL,
            lastUsed TEXT NOT NULL,
            seed BLOB NOT NULL,
            generation INTEGER NOT NULL,
            repeatUntil INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessionsByUser ON sessions (user);
        CREATE INDEX sessionsByExpiry ON sessions (expires);
        CREATE INDEX sessionsByRepeat ON sessions (repeatUntil) WHERE repeatUntil IS NOT NULL;

        CREATE TABLE devices (
            id TEXT NOT NULL PRIMARY KEY,
            user TEXT NOT NULL REFERENCES users (id),
            session TEXT REFERENCES sessions (id) ON DELETE CASCADE,
            service TEXT NOT NULL,
            token TEXT NOT NULL,
            publicKey BLOB,
            authenticationSecret BLOB,
            addressHash BLOB NOT NULL UNIQUE,
            platform TEXT NOT NULL,
            appVersion TEXT,
            locale TEXT NOT NULL,
            refreshed TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX devicesByUser ON devices (user, id);
        CREATE INDEX devicesBySession ON devices (session);
        CREATE INDEX devicesByRefresh ON devices (refreshed);

        CREATE TABLE loginFailures (
            key BLOB NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX loginFailuresByLast ON loginFailures (last);

        CREATE TABLE oneTimeTokens (
            hash BLOB NOT NULL PRIMARY KEY,
            purpose TEXT NOT NULL,
            subject TEXT NOT NULL,
            email TEXT NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX oneTimeTokensBySubject ON oneTimeTokens (subject, purpose);
        CREATE INDEX oneTimeTokensByExpiry ON oneTimeTokens (expires);

        CREATE TABLE quotaPlaces (
            key BLOB NOT NULL,
            id TEXT NOT NULL,
            taken INTEGER NOT NULL,
            PRIMARY KEY (key, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX quotaPlacesByTime ON quotaPlaces (taken);

        CREATE TABLE invitations (
            id TEXT NOT NULL PRIMARY KEY,
            email TEXT NOT NULL,
            foldedEmail TEXT NOT NULL,
            role TEXT NOT NULL,
            team TEXT,
            teamRole TEXT NOT NULL,
            locale TEXT NOT NULL,
            inviter TEXT,
            sent TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX invitationsByAddress ON invitations (foldedEmail, ifnull(team, ''));
        CREATE INDEX invitationsByTeam ON invitations (team, foldedEmail, id);
        CREATE INDEX invitationsByPlace ON invitations (foldedEmail, id);
        CREATE INDEX invitationsByInviter ON invitations (inviter);
        CREATE INDEX invitationsByDay ON invitations (sent);

        CREATE TABLE registrations (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            email TEXT NOT NULL,
            foldedEmail TEXT NOT NULL UNIQUE,
            passwordHash TEXT NOT NULL,
            role TEXT NOT NULL,
            locale TEXT NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX registrationsByExpiry ON registrations (expires);

        CREATE TABLE externalIdentities (
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            user TEXT NOT NULL REFERENCES users (id),
            PRIMARY KEY (issuer, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX externalIdentitiesByUser ON externalIdentities (user, issuer, subject);
        """

    /// Receipts are ordered by sprint, so that they are removed with it. `userSprints.paper` marks the request that a
    /// receipt belongs to; a plain ballot has none. Feedback is sealed while its sprint runs. A tally's `randomness` is
    /// the sum of its commitments' blinding factors; plain ballots have none.
    private static let ballots = """
        CREATE TABLE userSprints (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            receipt BLOB NOT NULL,
            isCounted INTEGER NOT NULL DEFAULT 1,
            paper BLOB,
            PRIMARY KEY (team, sprintStart, receipt)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE happiness (
            team TEXT NOT NULL REFERENCES teams (id),
            sprintStart INTEGER NOT NULL,
            sprintEnd INTEGER NOT NULL,
            closes INTEGER NOT NULL,
            labelYear INTEGER NOT NULL,
            labelNumber INTEGER NOT NULL,
            labelSuffix TEXT NOT NULL,
            threshold INTEGER NOT NULL,
            policy TEXT NOT NULL,
            feedbackReaders TEXT NOT NULL,
            count INTEGER NOT NULL,
            sum INTEGER NOT NULL,
            \(distribution("count")),
            snapshotCount INTEGER NOT NULL,
            snapshotSum INTEGER NOT NULL,
            \(distribution("snapshot")),
            snapshotNumber INTEGER NOT NULL,
            publishedCount INTEGER NOT NULL,
            publishedSum INTEGER NOT NULL,
            \(distribution("published")),
            publishedNumber INTEGER NOT NULL,
            isClosed INTEGER NOT NULL,
            eligible INTEGER,
            joined INTEGER NOT NULL DEFAULT 0,
            raisedFrom INTEGER,
            raisedAtCount INTEGER NOT NULL DEFAULT 0,
            isRaiseSpent INTEGER NOT NULL DEFAULT 0,
            isCleared INTEGER NOT NULL DEFAULT 0,
            papersIssued INTEGER NOT NULL DEFAULT 0,
            papersSpent INTEGER NOT NULL DEFAULT 0,
            sealed INTEGER,
            ballots TEXT NOT NULL DEFAULT 'any',
            randomness BLOB NOT NULL DEFAULT (\(zero)),
            snapshotRandomness BLOB NOT NULL DEFAULT (\(zero)),
            publishedRandomness BLOB NOT NULL DEFAULT (\(zero)),
            PRIMARY KEY (team, sprintStart)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX happinessByLabel ON happiness (team, labelYear, labelNumber, labelSuffix);
        CREATE INDEX happinessUnfinished ON happiness (closes) WHERE isCleared = 0;
        CREATE INDEX happinessUncleared ON happiness (team, sprintStart) WHERE isCleared = 0;

        CREATE TABLE feedback (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            id TEXT NOT NULL,
            snapshot INTEGER NOT NULL,
            text TEXT,
            sealed BLOB,
            PRIMARY KEY (team, sprintStart, id),
            CHECK ((text IS NULL) <> (sealed IS NULL))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE ballotKeys (
            id BLOB NOT NULL PRIMARY KEY,
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            publicKey BLOB NOT NULL,
            privateKey BLOB,
            UNIQUE (team, sprintStart)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE spentPapers (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            paper BLOB NOT NULL,
            snapshot INTEGER NOT NULL,
            PRIMARY KEY (team, sprintStart, paper)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE commitments (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            snapshot INTEGER NOT NULL,
            PRIMARY KEY (team, sprintStart, bytes)
        ) STRICT, WITHOUT ROWID;
        """

    /// A team's rows are deleted with the team, a user's with the user. A reminder is unique per occasion; its hour is
    /// NULL for the team's. Batches keep no instant: the duration of a batch would reveal how many of its people
    /// received something.
    private static let reminders = """
        CREATE TABLE reminderSettings (
            team TEXT NOT NULL PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
            isOn INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            remindsAgain INTEGER NOT NULL,
            holidays TEXT NOT NULL,
            timing TEXT NOT NULL DEFAULT 'start'
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE reminderTexts (
            team TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            locale TEXT NOT NULL,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (team, kind, locale)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE absences (
            user TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            first TEXT NOT NULL,
            last TEXT NOT NULL,
            PRIMARY KEY (user, first, last)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE deliveries (
            id TEXT NOT NULL PRIMARY KEY,
            team TEXT NOT NULL REFERENCES teams (id),
            sprintStart INTEGER NOT NULL,
            kind TEXT NOT NULL,
            day TEXT NOT NULL,
            state TEXT NOT NULL,
            begun INTEGER NOT NULL,
            trouble TEXT,
            title TEXT,
            body TEXT,
            requestedBy TEXT REFERENCES users (id) ON DELETE SET NULL,
            hour INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX deliveriesByOccasion ON deliveries (team, sprintStart, kind, day, ifnull(hour, -1))
            WHERE kind IN ('reminder', 'secondReminder');
        CREATE INDEX deliveriesByTeam ON deliveries (team, day DESC, id);
        CREATE INDEX deliveriesByDay ON deliveries (day DESC, id);
        CREATE INDEX deliveriesSending ON deliveries (begun, id) WHERE state = 'sending';
        CREATE INDEX deliveriesByRequester ON deliveries (requestedBy) WHERE requestedBy IS NOT NULL;

        CREATE TABLE deliveryBatches (
            delivery TEXT NOT NULL REFERENCES deliveries (id),
            number INTEGER NOT NULL,
            recipients TEXT NOT NULL,
            rangeAfter TEXT,
            rangeThrough TEXT,
            counts BLOB NOT NULL,
            isDone INTEGER NOT NULL,
            PRIMARY KEY (delivery, number)
        ) STRICT, WITHOUT ROWID;
        """

    /// `members` holds keyed marks and is NULL once there is a result; the counts are NULL unless they may be shown.
    private static let experiments = """
        CREATE TABLE reminderExperiments (
            id TEXT NOT NULL PRIMARY KEY,
            team TEXT NOT NULL REFERENCES teams (id),
            kind TEXT NOT NULL,
            firstDay TEXT NOT NULL,
            lastDay TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reminderExperimentsByTeam ON reminderExperiments (team, firstDay);
        CREATE INDEX reminderExperimentsByEnd ON reminderExperiments (lastDay);

        CREATE TABLE experimentTexts (
            experiment TEXT NOT NULL REFERENCES reminderExperiments (id) ON DELETE CASCADE,
            side TEXT NOT NULL,
            locale TEXT NOT NULL,
            title TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (experiment, side, locale)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE experimentSprints (
            experiment TEXT NOT NULL REFERENCES reminderExperiments (id) ON DELETE CASCADE,
            sprintStart INTEGER NOT NULL,
            members BLOB,
            result TEXT,
            membersA INTEGER,
            votedA INTEGER,
            membersB INTEGER,
            votedB INTEGER,
            PRIMARY KEY (experiment, sprintStart)
        ) STRICT, WITHOUT ROWID;
        """

    /// `rank` orders a column. Either both columns for the start have a value or neither has.
    private static let actions = """
        CREATE TABLE actions (
            id TEXT NOT NULL PRIMARY KEY,
            team TEXT NOT NULL REFERENCES teams (id),
            title TEXT NOT NULL,
            notes TEXT NOT NULL,
            quote TEXT,
            quoteReaders TEXT NOT NULL,
            assignee TEXT REFERENCES users (id) ON DELETE SET NULL,
            due TEXT,
            state TEXT NOT NULL,
            rank INTEGER NOT NULL,
            madeStart INTEGER NOT NULL,
            madeLabel TEXT NOT NULL,
            beganStart INTEGER,
            beganLabel TEXT,
            version INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX actionsByColumn ON actions (team, state, rank, id);
        CREATE INDEX actionsByBeginning ON actions (team, beganStart DESC, id) WHERE beganStart IS NOT NULL;
        CREATE INDEX actionsByAssignee ON actions (assignee, id) WHERE assignee IS NOT NULL;
        """

    /// Clients' errors have days only, no finer times, and no reporters. A process that does not serve requests has
    /// neither connections nor responses. The latest change of a text applies; a change without a text restores the
    /// program's own.
    private static let work = """
        CREATE TABLE jobs (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            payload TEXT NOT NULL,
            dedupeKey TEXT UNIQUE,
            state TEXT NOT NULL,
            runAt INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            leaseOwner TEXT,
            leaseUntil INTEGER,
            lastError TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX jobsByState ON jobs (state, runAt, id);

        CREATE TABLE secrets (
            name TEXT NOT NULL PRIMARY KEY,
            fingerprint BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE clientErrors (
            id TEXT NOT NULL PRIMARY KEY,
            app TEXT NOT NULL,
            level TEXT NOT NULL,
            message TEXT NOT NULL,
            firstDay TEXT NOT NULL,
            lastDay TEXT NOT NULL,
            countBefore INTEGER NOT NULL,
            countOnLastDay INTEGER NOT NULL,
            versions TEXT NOT NULL,
            stack TEXT NOT NULL,
            version TEXT NOT NULL,
            platform TEXT NOT NULL,
            tags TEXT NOT NULL,
            isResolved INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX clientErrorsByState ON clientErrors (isResolved, lastDay DESC, id);

        CREATE TABLE processes (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            host TEXT NOT NULL,
            version TEXT NOT NULL,
            started INTEGER NOT NULL,
            seen INTEGER NOT NULL,
            memory INTEGER NOT NULL,
            cpu REAL NOT NULL,
            connections INTEGER,
            answered INTEGER,
            refused INTEGER,
            failed INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE textChanges (
            language TEXT NOT NULL,
            name TEXT NOT NULL,
            number INTEGER NOT NULL,
            text TEXT,
            day TEXT NOT NULL,
            PRIMARY KEY (language, name, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE textVersion (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            number INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO textVersion (id, number) VALUES (1, 0);
        """

    // MARK: - Later migrations

    /// Counted by triggers, so that no way of ending a session or a membership can be forgotten. The slot is that of
    /// the user (`RevocationSlot`). A migration that replaces one of the two tables must create its triggers again.
    private static let revocations = """
        CREATE TABLE revocations (slot TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < 255)
            INSERT INTO revocations SELECT printf('%02x', slot), 0 FROM slots;
        CREATE TRIGGER sessionEnded AFTER DELETE ON sessions BEGIN
            UPDATE revocations SET number = number + 1 WHERE slot = substr(OLD.user, -2);
        END;
        CREATE TRIGGER membershipEnded AFTER DELETE ON memberships BEGIN
            UPDATE revocations SET number = number + 1 WHERE slot = substr(OLD.user, -2);
        END;
        CREATE TRIGGER membershipChanged AFTER UPDATE ON memberships BEGIN
            UPDATE revocations SET number = number + 1 WHERE slot = substr(OLD.user, -2);
        END;
        """

    /// What `NameSearch` looks at, in the order of the names: a search reads nothing else.
    private static let searchTexts = """
        ALTER TABLE users ADD COLUMN searchText TEXT NOT NULL DEFAULT '';
        ALTER TABLE teams ADD COLUMN searchText TEXT NOT NULL DEFAULT '';
        CREATE INDEX usersBySearch ON users (foldedName, searchText);
        CREATE INDEX teamsBySearch ON teams (foldedName, searchText);
        """

    /// What a hash in the column `paper` is of, for the count after the sprint. Papers spent before have only the hash.
    private static let signedPapers = """
        ALTER TABLE spentPapers ADD COLUMN bytes BLOB;
        ALTER TABLE spentPapers ADD COLUMN signature BLOB;
        """

    /// One row from the first time on that a process recorded.
    private static let clock = """
        CREATE TABLE clock (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            newest INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// A mark shows neither the person nor which marks are of one person; ordered by mark, not by time. It stays when a
    /// member leaves the team: otherwise the count would tell, on their removal, that they had said it.
    private static let support = """
        ALTER TABLE teams ADD COLUMN actionAuthors TEXT NOT NULL DEFAULT 'team';
        CREATE TABLE actionSupport (
            action TEXT NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
            mark BLOB NOT NULL,
            PRIMARY KEY (action, mark)
        ) STRICT, WITHOUT ROWID;
        """

    private static let zero = "x'\(String(repeating: "00", count: 32))'"

    /// The eleven columns of a distribution, `count0` to `count10`.
    private static func distribution(_ prefix: String) -> String {
        (0...10).map { "\(prefix)\($0) INTEGER NOT NULL" }.joined(separator: ", ")
    }
}
