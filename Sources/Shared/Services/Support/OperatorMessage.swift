import Domain
import Foundation
import Ports
import Product
import Storage

/// Messages for an operator who starts a program and wants to know why it ended.
package enum OperatorMessage {
    /// One line without a type's name, a secret or a stack. Commands in it can be pasted.
    package static func text(for error: any Error) -> String {
        ProgramCall.current.pasteable(words(for: error))
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case StorageError.unavailable:
            "The store cannot be reached. Is it running, and is DATABASE_URL right?"
        case let error as AppError: error.message
        case ObjectStoreError.unavailable(let words), ObjectStoreError.misconfigured(let words): words
        case let error as CocoaError: fileProblem(error)
        default: String(describing: error)
        }
    }

    /// Runs `body`, which writes to the folder that a setting names.
    /// - Throws: `OperatorError` with the setting, the folder and the cause, if the file system rejects.
    package static func writing<Value>(
        to folder: String, setting: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as any OperatorProblem {
            throw error
        } catch {
            throw OperatorError(
                "\(setting) is \(folder), and this program cannot use that folder. \(text(for: error)) Correct owner and "
                    + "rights, or \(setting).")
        }
    }

    /// Names the file and the problem. Foundation's own description lists domains and numbers.
    private static func fileProblem(_ error: CocoaError) -> String {
        guard let path = error.filePath ?? error.url?.path else { return error.localizedDescription }
        return switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "There’s no \(path)."
        case .fileReadNoPermission: "\(path) cannot be read by the user this program runs as."
        case .fileWriteNoPermission: "\(path) cannot be written by the user this program runs as."
        case .fileWriteFileExists: "There’s a file at \(path) already."
        case .fileWriteOutOfSpace: "No space is left for \(path)."
        case .fileWriteVolumeReadOnly: "\(path) is on a read-only file system."
        default:
            if let cause = error.underlying as? POSIXError {
                "\(path): \(String(cString: strerror(cause.code.rawValue)))."
            } else {
                "\(path): \(error.localizedDescription)"
            }
        }
    }
}

/// Why a command cannot do its work, for faults that only an operator meets. `AppError` is for those of the API.
package struct OperatorError: OperatorProblem {
    /// One line with what to do.
    package let description: String

    /// - Parameter description: one line, without a secret.
    package init(_ description: String) {
        self.description = description
    }
}
