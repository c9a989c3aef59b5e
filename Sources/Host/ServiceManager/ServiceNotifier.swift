import AudioCore
import Glibc

/// The service manager that started this process, and wants to be told how it is (sd_notify(3)). Any thread may use it.
public final class ServiceNotifier: Sendable {
    private let socket: LocalDatagramSocket
    /// How long the manager waits for a sign of life before it starts the service anew; nil: for ever.
    public let watchdogInterval: TimeSpan?

    /// Finds the manager by `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; nil where none asks to be told.
    /// - Parameter environment: returns a variable's value.
    public init?(processID: pid_t = getpid(), environment: (String) -> String? = ServiceNotifier.variable) {
        guard let address = environment("NOTIFY_SOCKET").flatMap({ LocalSocketAddress($0) }),
            let socket = LocalDatagramSocket(to: address)
        else { return nil }
        self.socket = socket
        watchdogInterval = Self.watchdogInterval(processID, environment)
    }

    /// Tells the manager; returns whether that is on its way.
    @discardableResult
    public func notify(_ notification: ServiceNotification) -> Bool { socket.send(Array(notification.text.utf8)) }

    /// A variable of this process.
    public static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// As sd_watchdog_enabled(3) has it: another process may be meant.
    private static func watchdogInterval(_ processID: pid_t, _ environment: (String) -> String?) -> TimeSpan? {
        guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text), microseconds > 0,
            microseconds <= longestWatchdogInterval
        else { return nil }
        if let owner = environment("WATCHDOG_PID"), owner != "\(processID)" { return nil }
        return .microseconds(microseconds)
    }

    /// A day, in microseconds: a longer one is as good as none.
    private static let longestWatchdogInterval: Int64 = 86_400_000_000
}
