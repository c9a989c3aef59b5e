import AudioCore
import Glibc

/// What a service tells the manager that started it (sd_notify(3)).
public enum ServiceNotification: Hashable, Sendable {
    /// It does what it is for; also after ``reloading(monotonicMicroseconds:)``.
    case ready
    /// It reads its configuration anew, since this instant of `CLOCK_MONOTONIC`, which is the manager's clock.
    case reloading(monotonicMicroseconds: Int64)
    case stopping
    /// What goes on, for people: one line.
    case status(String)
    /// It is alive.
    case watchdog

    /// The longest status, in bytes of UTF-8; what is beyond is cut.
    static let statusByteCountLimit = 256

    /// It begins to read its configuration anew.
    public static func reloadingNow() -> ServiceNotification {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .reloading(monotonicMicroseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// As the manager reads it.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=\(Self.oneLine(line))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// A line break would begin another variable.
    private static func oneLine(_ text: String) -> String {
        String(displaying: String(text.map { $0.isNewline ? " " : $0 }), maximumByteCount: statusByteCountLimit)
    }
}
