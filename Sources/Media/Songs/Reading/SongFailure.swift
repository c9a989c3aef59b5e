import AudioCore
import Glibc

/// Why a song cannot be read, or not to its end: one line for people.
public struct SongFailure: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The file is missing, may not be read, or is not a file.
        case missing
        /// Standard input cannot contain a song: it is a terminal, a directory, or closed.
        case noInput
        /// The file exists, but its contents cannot be played.
        case unusable
        /// The disk or the system failed.
        case lost
        /// The output cannot be written.
        case cannotCreate
        /// Something needed to read it is not installed.
        case unavailable
        /// Not a song but a playlist: its URLs.
        case list([String])
        /// Someone asked to stop.
        case stopped
    }

    public var kind: Kind
    /// One sentence, no newline; names the file. Contains no credentials from addresses.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message.withoutCredentials
    }
}

extension SongFailure {
    /// Describes the `errno` of opening a path.
    public static func unreadable(_ path: String, _ code: Int32) -> SongFailure {
        switch code {
        case ENOENT, ENOTDIR: SongFailure(.missing, "'\(path)' does not exist; check the path")
        case EACCES, EPERM: SongFailure(.missing, "'\(path)' may not be read; check its permissions")
        default: SongFailure(.missing, "cannot open '\(path)': \(String(cString: strerror(code)))")
        }
    }
}
