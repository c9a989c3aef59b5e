import AudioCore
import Glibc

/// Why a file cannot be written. Everything written before stays, and the file is valid up to there.
public enum AudioFileWritingError: Error, Hashable, CustomStringConvertible {
    /// The file name has no known extension.
    case unknownExtension(path: String)
    /// No file of this type can contain such samples. The text is for people.
    case unsupported(String)
    case exists(path: String)
    /// A directory, a device or a pipe: nothing with random access.
    case isNotRegularFile(path: String)
    /// Another process is writing it.
    case isBeingWritten(path: String)
    /// The code is `errno`.
    case cannotCreate(path: String, code: Int32)
    case writingFailed(path: String, code: Int32)
    /// The file has reached the largest size of its type.
    case isFull(path: String)

    /// One line, for people.
    public var description: String {
        switch self {
        case .unknownExtension(let path): "'\(path)' \(reason)"
        case .unsupported: reason
        case .exists(let path), .isNotRegularFile(let path), .isBeingWritten(let path), .isFull(let path):
            "'\(path)' \(reason)"
        case .cannotCreate(let path, ENOENT): "cannot create '\(path)': there is no directory '\(Self.directory(path))'"
        case .cannotCreate(let path, _): "cannot create '\(path)': \(reason)"
        case .writingFailed(let path, _): "writing '\(path)' failed: \(reason)"
        }
    }

    /// The description without the file's name.
    public var reason: String {
        switch self {
        case .unknownExtension: "must end with .wav, .aiff, .aifc or .caf: the ending says what is written"
        case .unsupported(let text): text
        case .exists: "exists"
        case .isNotRegularFile: "is no plain file; a recording needs one"
        case .isBeingWritten: "is being written by another process"
        case .cannotCreate(_, let code), .writingFailed(_, let code): String(cString: strerror(code))
        case .isFull: "has 2 GiB, the most that AIFF holds; WAVE and CAF hold more"
        }
    }

    private static func directory(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
