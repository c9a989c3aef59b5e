import AudioCore
import Glibc

/// Why a song cannot be read, or not to its end: one line for people.
public struct SongFailure: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The file is missing, may not be read, or is no file.
        case missing
        /// Standard input is nothing that a song comes from: a terminal, a directory, closed.
        case noInput
        /// The file is there; what is in it cannot be played.
        case unusable
        /// The disk or the system failed.
        case lost
        /// What was to be written cannot be.
        case cannotCreate
        /// What is needed to read it is not on this machine.
        case unavailable
        /// It is no song, but a list of these: URLs.
        case list([String])
        /// Someone asked to stop.
        case stopped
    }

    public var kind: Kind
    /// One sentence, no newline; names the file. Shows no credentials of addresses.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message.withoutCredentials
    }
}

extension SongFailure {
    /// What `errno` says of a path that cannot be opened.
    public static func unreadable(_ path: String, _ code: Int32) -> SongFailure {
        switch code {
        case ENOENT, ENOTDIR: SongFailure(.missing, "'\(path)' does not exist; check the path")
        case EACCES, EPERM: SongFailure(.missing, "'\(path)' may not be read; check its permissions")
        default: SongFailure(.missing, "cannot open '\(path)': \(String(cString: strerror(code)))")
        }
    }
}
