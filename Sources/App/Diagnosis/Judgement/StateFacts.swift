import Glibc

/// The directory in which Tutti keeps what it remembers.
struct StateFacts: Judged {
    enum Writing: Hashable, Sendable {
        case works
        /// The operation that failed, and its errno.
        case failed(String, Int32)
        /// Root is asked, and the directory is another user's: what it makes there would be in that user's way. The
        /// user.
        case notTried(owner: UInt32)
    }

    /// Nil where the user has none.
    var path: String?
    var writing = Writing.works
    /// Bytes that this user may still write there; nil if unknown.
    var freeByteCount: UInt64?

    private static let fewBytes: UInt64 = 16 << 20
    private static let why =
        "this machine has another identity at each start, forgets its household and whom it met, and learns its clocks "
        + "anew"

    var findings: [Finding] {
        guard let path = path.map({ String(displaying: $0, maximumByteCount: 200) }) else {
            return [
                Finding(
                    "state.none", .warning, "this user has no home directory, and so no state directory",
                    why: Self.why, remedy: "set XDG_STATE_HOME to a directory that this user may write")
            ]
        }
        switch writing {
        case .notTried(let owner):
            return [
                Finding(
                    "state.of-another-user", .note, "the state directory is another user's (uid \(owner)): \(path)",
                    why: "as root nothing is made there: its key is not used, and writing was not tried",
                    remedy: "run tutti doctor as that user, too: sudo -u '#\(owner)' tutti doctor")
            ]
        case .failed(let operation, let code):
            let reason = String(cString: strerror(code))
            return [
                Finding(
                    code == ENOSPC || code == EDQUOT ? "state.full" : "state.not-writable", .problem,
                    "the state directory cannot be written: \(operation) \(path): \(reason)", why: Self.why,
                    remedy: Self.remedy(code, path))
            ]
        case .works:
            if let freeByteCount, freeByteCount < Self.fewBytes {
                return [
                    Finding(
                        "state.nearly-full", .warning, "\(freeByteCount >> 20) MiB are free where \(path) lies",
                        why: "what Tutti remembers can soon not be written", remedy: "df -h '\(path)'")
                ]
            }
            return [Finding("state.works", .ok, "the state directory can be written: \(path)")]
        }
    }

    private static func remedy(_ code: Int32, _ path: String) -> String {
        switch code {
        case ENOSPC, EDQUOT: "make room: df -h '\(path)'"
        case EROFS: "set XDG_STATE_HOME to a directory on a disk that can be written"
        default: "sudo chown -R $USER '\(path)'"
        }
    }
}
