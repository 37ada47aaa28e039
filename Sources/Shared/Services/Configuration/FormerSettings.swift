package import Logging

/// The settings of the first system that have another name here.
///
/// Nothing reads them. Who moves here may still have them in the environment or in `.env`, and would wonder why
/// mails or pictures do not work.
package enum FormerSettings {
    /// What takes the place of each.
    private static let successors = [
        "MAILGUN_KEY": "MAILGUN_API_KEY",
        "SECRET_ACCESS_TOKEN": "JWT_SECRET",
        "ACCESS_KEY_ID": "S3_ACCESS_KEY_ID",
        "SECRET_ACCESS_KEY": "S3_SECRET_ACCESS_KEY",
        "MONGODB_PASSWORD": "DATABASE_URL, which has the password in it",
    ]

    /// A sentence about a key; `nil` if it is none of them.
    static func advice(on key: String) -> String? {
        successors[key].map { "\(key) is a setting of the first system. Set \($0)." }
    }

    /// A sentence for each of them in the environment, in alphabetical order. It repeats no value.
    package static func notices(in environment: [String: String]) -> [String] {
        environment.keys.sorted().compactMap(advice)
    }

    /// Logs a warning for each of them in the environment and in `.env`.
    /// - Throws: as `SettingsFile.standard`.
    package static func warn(in environment: [String: String], logger: Logger) throws {
        let keys = Set(environment.keys).union(try SettingsFile.standard().values.keys)
        for notice in keys.sorted().compactMap(advice) {
            logger.warning("A setting has no effect", metadata: ["setting": "\(notice)"])
        }
    }
}
