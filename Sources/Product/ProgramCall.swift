import Foundation

/// How the operator of this installation calls the server's executable.
///
/// Texts in the code say `HappinessAPI setup`. Pasted into a shell, that works only if the executable is in the `PATH`;
/// a package has a command of its own, and in a container there is no shell. So what prints a command writes what works
/// here.
package struct ProgramCall: Hashable, Sendable {
    /// How the program was installed.
    package enum Place: Hashable, Sendable {
        /// A checkout, an unpacked release, or `make install`.
        case folder
        /// The Debian package, whose files belong to a user of its own.
        case package
        /// The container image, which has no shell.
        case container
    }

    /// How the program was installed.
    package let place: Place
    /// What to type for `HappinessAPI`: `sudo happiness-metric`, `.build/debug/HappinessAPI`.
    package let text: String
    /// The full path of the executable, not quoted.
    package let executable: String

    /// Name of the environment variable with `text`. Compose files and manifests set it: a container does not know by
    /// which name those outside reach it.
    package static let variable = "HAPPINESS_COMMAND"

    private static let name = "HappinessAPI"
    /// Where the Debian package has the executable, and the command that runs it as the right user.
    private static let packaged = (folder: "/usr/lib/happiness-metric/bin", command: "sudo happiness-metric")
    /// Where the image has the executable, and its name in the image's `PATH`.
    private static let image = (folder: "/app/bin", command: "api")

    /// This process's.
    package static let current = ProgramCall(
        folder: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path,
        workingFolder: FileManager.default.currentDirectoryPath, environment: ProcessInfo.processInfo.environment)

    /// - Parameters:
    ///   - folder: that of the executable, without links.
    ///   - workingFolder: the shell's, from which the settings are read.
    ///   - environment: `PATH` and `variable` are read.
    init(folder: String, workingFolder: String, environment: [String: String]) {
        executable = "\(folder)/\(Self.name)"
        place =
            switch folder {
            case Self.packaged.folder: .package
            case Self.image.folder: .container
            default: .folder
            }
        if let given = environment[Self.variable], !given.isEmpty {
            text = given
        } else {
            text =
                switch place {
                case .package: Self.packaged.command
                case .container: Self.image.command
                case .folder: Self.typed(executable, from: workingFolder, path: environment["PATH"] ?? "")
                }
        }
    }

    /// The shortest form that leads to the executable.
    private static func typed(_ executable: String, from workingFolder: String, path: String) -> String {
        let found = path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if let found, URL(filePath: found).resolvingSymlinksInPath().path == executable { return name }
        guard workingFolder != "/", executable.hasPrefix("\(workingFolder)/") else { return quoted(executable) }
        let relative = executable.dropFirst(workingFolder.count + 1)
        // A shell looks for a name without a slash in the PATH only.
        return quoted(relative.contains("/") ? String(relative) : "./\(relative)")
    }

    /// A text in which each `HappinessAPI` before a command is what to type here.
    /// - Parameter text: our own words. Names that users chose are inserted afterwards.
    package func pasteable(_ text: String) -> String {
        text.replacing(/HappinessAPI(?= [a-z])/, with: self.text)
    }

    /// A word for a shell, which passes it on as it is: names and folders may have spaces and quotes.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,".contains($0)) }
        guard word.isEmpty || !isPlain else { return word }
        return "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
