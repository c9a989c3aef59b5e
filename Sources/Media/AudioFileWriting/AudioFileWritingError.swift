import AudioCore
import Glibc

/// Why a file cannot be written. Whatever was written before stays, and the file is whole as far as it goes.
public enum AudioFileWritingError: Error, Hashable, CustomStringConvertible {
    /// The name ends with none of the endings that are known.
    case unknownEnding(path: String)
    /// No file of this kind can hold such samples. The text is for people.
    case unsupported(String)
    case exists(path: String)
    /// A directory, a device, a pipe: nothing that can be written at any place.
    case isNoFile(path: String)
    /// Another process writes it.
    case isBeingWritten(path: String)
    /// The code is `errno`.
    case cannotCreate(path: String, code: Int32)
    case writingFailed(path: String, code: Int32)
    /// The file is as long as its kind can be.
    case isFull(path: String)

    /// One line, for people.
    public var description: String {
        switch self {
        case .unknownEnding(let path): "'\(path)' \(reason)"
        case .unsupported: reason
        case .exists(let path), .isNoFile(let path), .isBeingWritten(let path), .isFull(let path):
            "'\(path)' \(reason)"
        case .cannotCreate(let path, ENOENT): "cannot create '\(path)': there is no directory '\(Self.directory(path))'"
        case .cannotCreate(let path, _): "cannot create '\(path)': \(reason)"
        case .writingFailed(let path, _): "writing '\(path)' failed: \(reason)"
        }
    }

    /// The same without the file's name.
    public var reason: String {
        switch self {
        case .unknownEnding: "must end with .wav, .aiff, .aifc or .caf: the ending says what is written"
        case .unsupported(let text): text
        case .exists: "exists"
        case .isNoFile: "is no plain file; a recording needs one"
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
