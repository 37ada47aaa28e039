import GRDB

/// The schema's history. A migration is never edited once merged, and it names tables by strings: today's types may not
/// match those it was written for.
///
/// All tables are `WITHOUT ROWID`: a rowid would keep the order in which ballots arrived. Instants are whole seconds if
/// they belong to a sprint, otherwise milliseconds; `userSprints`, `happiness` and `feedback` contain only their
/// sprint's instants.
enum SQLiteMigrations {
    /// Runs the migrations that a file still lacks.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-first-tables") { db in
            try db.execute(sql: people)
            try db.execute(sql: ballots)
            try db.execute(sql: work)
        }
        migrator.registerMigration("0002-accounts") { db in
            try db.execute(sql: accountFields)
            try db.execute(sql: accountTables)
        }
        migrator.registerMigration("0004-invitations-per-team") { db in
            try db.execute(sql: invitationsPerTeam)
        }
        migrator.registerMigration("0005-devices") { db in
            try db.execute(sql: devices)
        }
        migrator.registerMigration("0006-reminders") { db in
            try db.execute(sql: reminders)
        }
        migrator.registerMigration("0007-deliveries") { db in
            try db.execute(sql: deliveryTables)
        }
        migrator.registerMigration("0008-reminder-experiments") { db in
            try db.execute(sql: experiments)
        }
        migrator.registerMigration("0009-pictures") { db in
            try db.execute(sql: pictures)
        }
        migrator.registerMigration("0010-actions") { db in
            try db.execute(sql: actions)
        }
        migrator.registerMigration("0011-client-errors") { db in
            try db.execute(sql: clientErrors)
        }
        migrator.registerMigration("0012-processes") { db in
            try db.execute(sql: processes)
        }
        migrator.registerMigration("0013-own-texts") { db in
            try db.execute(sql: ownTexts)
        }
        migrator.registerMigration("0014-released-actions") { db in
            try db.execute(sql: releasedActions)
        }
        migrator.registerMigration("0015-cleared-sprints") { db in
            try db.execute(sql: clearedSprints)
            try addMissingReceipts(in: db)
            try db.execute(sql: sessionDays)
        }
        migrator.registerMigration("0016-folded-names") { db in
            try db.execute(sql: foldedNames)
        }
        migrator.registerMigration("0017-reminder-timing") { db in
            // Existing teams keep their reminders.
            try db.execute(sql: "ALTER TABLE reminderSettings ADD COLUMN timing TEXT NOT NULL DEFAULT 'start'")
        }
        migrator.registerMigration("0018-result-mails") { db in
            try db.execute(sql: resultMails)
        }
        migrator.registerMigration("0021-reminder-hours") { db in
            try db.execute(sql: reminderHours)
        }
        migrator.registerMigration("0022-display-names") { db in
            try db.execute(sql: "ALTER TABLE users ADD COLUMN displayName TEXT")
        }
        migrator.registerMigration("0023-sealed-ballots") { db in
            try db.execute(sql: sealedBallots)
        }
        migrator.registerMigration("0024-accepted-ballots") { db in
            for table in ["teams", "happiness"] {
                try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN ballots TEXT NOT NULL DEFAULT 'any'")
            }
        }
        migrator.registerMigration("0025-commitments") { db in
            try db.execute(sql: commitments)
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
        return migrator
    }

    /// Deleting an account used to delete its receipts. From now on each ballot of a sprint that is not cleared has
    /// one.
    private static func addMissingReceipts(in db: Database) throws {
        let missing: [(team: String, start: Int, number: Int)] = try db.rows(
            """
            SELECT team, sprintStart, count - (
                SELECT count(*) FROM userSprints
                WHERE userSprints.team = happiness.team AND userSprints.sprintStart = happiness.sprintStart
            )
            FROM happiness WHERE isClosed = 0
            """
        ) { (team: $0.value(), start: $0.value(), number: $0.value()) }
        for sprint in missing {
            for _ in 0..<max(0, sprint.number) {
                try db.change(
                    "INSERT INTO userSprints (team, sprintStart, receipt) VALUES (?, ?, randomblob(32))",
                    [sprint.team, sprint.start])
            }
        }
    }

    /// For a file that a later version of the program has migrated.
    static let newerVersion = SQLiteStorageError(
        """
        The SQLite file was migrated by a newer version of this program. Install that version, or restore a backup \
        from before the upgrade.
        """)

    private static let people = """
        CREATE TABLE teams (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            nameFolded TEXT NOT NULL UNIQUE,
            calendar TEXT NOT NULL,
            timeZone TEXT NOT NULL,
            threshold INTEGER NOT NULL,
            policy TEXT NOT NULL,
            graceDays INTEGER NOT NULL,
            feedbackReaders TEXT NOT NULL,
            memberCount INTEGER NOT NULL,
            publicationNumber INTEGER NOT NULL,
            shareTokenHash BLOB UNIQUE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            nameFolded TEXT NOT NULL UNIQUE,
            email TEXT NOT NULL,
            emailFolded TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            passwordHash TEXT,
            isDisabled INTEGER NOT NULL,
            defaultTeam TEXT REFERENCES teams (id),
            locale TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE memberships (
            user TEXT NOT NULL REFERENCES users (id),
            team TEXT NOT NULL REFERENCES teams (id),
            role TEXT NOT NULL,
            PRIMARY KEY (user, team)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX membershipsByTeam ON memberships (team, user);

        CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            user TEXT NOT NULL REFERENCES users (id),
            device TEXT NOT NULL,
            expires INTEGER NOT NULL,
            lastUsed TEXT NOT NULL,
            seed BLOB NOT NULL,
            generation INTEGER NOT NULL,
            rotated INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessionsByUser ON sessions (user);
        CREATE INDEX sessionsByExpiry ON sessions (expires);

        CREATE TABLE loginFailures (
            key BLOB NOT NULL PRIMARY KEY,
            count INTEGER NOT NULL,
            last INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX loginFailuresByLast ON loginFailures (last);
        """

    private static let ballots = """
        CREATE TABLE userSprints (
            receipt BLOB NOT NULL PRIMARY KEY,
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL
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
            PRIMARY KEY (team, sprintStart)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX happinessByLabel ON happiness (team, labelYear, labelNumber, labelSuffix);
        CREATE INDEX happinessOverdue ON happiness (closes) WHERE isClosed = 0;

        CREATE TABLE feedback (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            id TEXT NOT NULL,
            snapshot INTEGER NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (team, sprintStart, id)
        ) STRICT, WITHOUT ROWID;
        """

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
        """

    /// The creation date of older accounts is unknown: they get the day of the upgrade.
    private static let accountFields = """
        ALTER TABLE users ADD COLUMN pendingEmail TEXT;
        ALTER TABLE users ADD COLUMN notifiesByPush INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE users ADD COLUMN notifiesByMail INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE users ADD COLUMN createdOn TEXT NOT NULL DEFAULT '';
        UPDATE users SET createdOn = date('now');
        """

    private static let accountTables = """
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
            emailFolded TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            team TEXT,
            teamRole TEXT NOT NULL,
            locale TEXT NOT NULL,
            sent TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX invitationsByTeam ON invitations (team, emailFolded);

        CREATE TABLE registrations (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            email TEXT NOT NULL,
            emailFolded TEXT NOT NULL UNIQUE,
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

    /// A team's rows are deleted with the team, a user's with the user.
    private static let reminders = """
        CREATE TABLE reminderSettings (
            team TEXT NOT NULL PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
            isOn INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            remindsAgain INTEGER NOT NULL,
            holidays TEXT NOT NULL
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
        """

    /// SQLite deletes a session's devices however the session ends.
    private static let devices = """
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
        """

    /// A reminder is unique per occasion. Batches keep no instant: the duration of a batch would reveal how many of its
    /// people received something.
    private static let deliveryTables = """
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
            requestedBy TEXT REFERENCES users (id) ON DELETE SET NULL
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX deliveriesByOccasion ON deliveries (team, sprintStart, kind, day)
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

    /// Either both columns have a value or neither has. Objects are looked up by their picture.
    private static let pictures = """
        ALTER TABLE users ADD COLUMN picture TEXT;
        ALTER TABLE users ADD COLUMN pictureUploadedAt INTEGER;
        CREATE UNIQUE INDEX usersByPicture ON users (picture) WHERE picture IS NOT NULL;
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
            assignee TEXT REFERENCES users (id),
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

    /// Days only, no finer times, and no reporters.
    private static let clientErrors = """
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
        """

    /// A process that does not serve requests has neither connections nor responses.
    private static let processes = """
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
        """

    /// The latest change of a text applies; a change without a text restores the program's own.
    private static let ownTexts = """
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

    /// `actions` again, with the assignee cleared once the account is deleted, even by a process of a version without
    /// actions. Also counts the changes of a team's actions.
    private static let releasedActions = """
        CREATE TABLE releasedActions (
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
        INSERT INTO releasedActions (
            id, team, title, notes, quote, quoteReaders, assignee, due, state, rank, madeStart, madeLabel, beganStart,
            beganLabel, version
        )
            SELECT id, team, title, notes, quote, quoteReaders, assignee, due, state, rank, madeStart, madeLabel,
                beganStart, beganLabel, version
            FROM actions;
        DROP TABLE actions;
        ALTER TABLE releasedActions RENAME TO actions;
        CREATE INDEX actionsByColumn ON actions (team, state, rank, id);
        CREATE INDEX actionsByBeginning ON actions (team, beganStart DESC, id) WHERE beganStart IS NOT NULL;
        CREATE INDEX actionsByAssignee ON actions (assignee, id) WHERE assignee IS NOT NULL;
        ALTER TABLE teams ADD COLUMN actionChanges INTEGER NOT NULL DEFAULT 0;
        """

    /// The inviter of older invitations is unknown: they are treated as the operator's until they expire.
    private static let invitationsPerTeam = """
        CREATE TABLE invitationsPerTeam (
            id TEXT NOT NULL PRIMARY KEY,
            email TEXT NOT NULL,
            emailFolded TEXT NOT NULL,
            role TEXT NOT NULL,
            team TEXT,
            teamRole TEXT NOT NULL,
            locale TEXT NOT NULL,
            inviter TEXT,
            sent TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO invitationsPerTeam (id, email, emailFolded, role, team, teamRole, locale, sent)
            SELECT id, email, emailFolded, role, team, teamRole, locale, sent FROM invitations;
        DROP TABLE invitations;
        ALTER TABLE invitationsPerTeam RENAME TO invitations;
        CREATE UNIQUE INDEX invitationsByAddress ON invitations (emailFolded, ifnull(team, ''));
        CREATE INDEX invitationsByTeam ON invitations (team, emailFolded, id);
        CREATE INDEX invitationsByPlace ON invitations (emailFolded, id);
        CREATE INDEX invitationsByInviter ON invitations (inviter);
        CREATE INDEX invitationsByDay ON invitations (sent);
        """

    /// Receipts ordered by sprint, so that they are removed with it; feedback sealed while its sprint runs; and the
    /// sprint columns this requires. The first process that looks clears sprints that are already closed.
    private static let clearedSprints = """
        CREATE TABLE receiptsOfSprints (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            receipt BLOB NOT NULL,
            isCounted INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (team, sprintStart, receipt)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO receiptsOfSprints (team, sprintStart, receipt)
            SELECT team, sprintStart, receipt FROM userSprints ORDER BY team, sprintStart, receipt;
        DROP TABLE userSprints;
        ALTER TABLE receiptsOfSprints RENAME TO userSprints;

        CREATE TABLE sealedFeedback (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            id TEXT NOT NULL,
            snapshot INTEGER NOT NULL,
            text TEXT,
            sealed BLOB,
            PRIMARY KEY (team, sprintStart, id),
            CHECK ((text IS NULL) <> (sealed IS NULL))
        ) STRICT, WITHOUT ROWID;
        INSERT INTO sealedFeedback (team, sprintStart, id, snapshot, text)
            SELECT team, sprintStart, id, snapshot, text FROM feedback ORDER BY team, sprintStart, id;
        DROP TABLE feedback;
        ALTER TABLE sealedFeedback RENAME TO feedback;

        ALTER TABLE happiness ADD COLUMN joined INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE happiness ADD COLUMN raisedFrom INTEGER;
        ALTER TABLE happiness ADD COLUMN raisedAtCount INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE happiness ADD COLUMN isRaiseSpent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE happiness ADD COLUMN isCleared INTEGER NOT NULL DEFAULT 0;
        DROP INDEX happinessOverdue;
        CREATE INDEX happinessUnfinished ON happiness (closes) WHERE isCleared = 0;
        CREATE INDEX happinessUncleared ON happiness (team, sprintStart) WHERE isCleared = 0;
        """

    /// Sessions expire at the beginning of a day (86,400,000 ms), and keep a refresh's time only to allow its
    /// repetition.
    private static let sessionDays = """
        DROP INDEX sessionsByExpiry;
        UPDATE sessions SET expires = (expires + 86399999) / 86400000 * 86400000;
        CREATE INDEX sessionsByExpiry ON sessions (expires);
        ALTER TABLE sessions DROP COLUMN rotated;
        ALTER TABLE sessions ADD COLUMN repeatUntil INTEGER;
        CREATE INDEX sessionsByRepeat ON sessions (repeatUntil) WHERE repeatUntil IS NOT NULL;
        """

    /// The names that MongoDB's fields have.
    private static let foldedNames = """
        ALTER TABLE users RENAME COLUMN nameFolded TO foldedName;
        ALTER TABLE users RENAME COLUMN emailFolded TO foldedEmail;
        ALTER TABLE teams RENAME COLUMN nameFolded TO foldedName;
        ALTER TABLE invitations RENAME COLUMN emailFolded TO foldedEmail;
        ALTER TABLE registrations RENAME COLUMN emailFolded TO foldedEmail;
        """

    /// The result of a sprint is mailed to users who ask for it.
    private static let resultMails = """
        ALTER TABLE users ADD COLUMN notifiesOfResults INTEGER NOT NULL DEFAULT 0;
        """

    /// Of users and of reminders; NULL for the team's hour.
    private static let reminderHours = """
        ALTER TABLE users ADD COLUMN reminderHour INTEGER;
        CREATE INDEX usersByReminderHour ON users (reminderHour, id) WHERE reminderHour IS NOT NULL;
        ALTER TABLE deliveries ADD COLUMN hour INTEGER;
        DROP INDEX deliveriesByOccasion;
        CREATE UNIQUE INDEX deliveriesByOccasion ON deliveries (team, sprintStart, kind, day, ifnull(hour, -1))
            WHERE kind IN ('reminder', 'secondReminder');
        """

    /// Ballot keys, papers, and how many there are of a sprint. `userSprints.paper` marks the request that a receipt
    /// belongs to; a plain ballot has none.
    private static let sealedBallots = """
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
        ALTER TABLE userSprints ADD COLUMN paper BLOB;
        ALTER TABLE happiness ADD COLUMN papersIssued INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE happiness ADD COLUMN papersSpent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE happiness ADD COLUMN sealed INTEGER;
        """

    /// The ballots' commitments, and the sum of their blinding factors. Earlier ballots have none.
    private static let commitments = """
        CREATE TABLE commitments (
            team TEXT NOT NULL,
            sprintStart INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            snapshot INTEGER NOT NULL,
            PRIMARY KEY (team, sprintStart, bytes)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE happiness ADD COLUMN randomness BLOB NOT NULL DEFAULT (\(zero));
        ALTER TABLE happiness ADD COLUMN snapshotRandomness BLOB NOT NULL DEFAULT (\(zero));
        ALTER TABLE happiness ADD COLUMN publishedRandomness BLOB NOT NULL DEFAULT (\(zero));
        """

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

    private static let zero = "x'\(String(repeating: "00", count: 32))'"

    /// The eleven columns of a distribution, `count0` to `count10`.
    private static func distribution(_ prefix: String) -> String {
        (0...10).map { "\(prefix)\($0) INTEGER NOT NULL" }.joined(separator: ", ")
    }
}
