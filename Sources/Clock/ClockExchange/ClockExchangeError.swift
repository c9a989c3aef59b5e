import Glibc
import HostSystem

/// A failure to create a socket or thread for the clock exchange.
public struct ClockExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public var operation: String
    /// errno(3).
    public var code: Int32

    public var description: String { "\(operation): \(String(cString: strerror(code)))" }
}

extension WakeSignal {
    static func forClockExchange() throws(ClockExchangeError) -> WakeSignal {
        do { return try WakeSignal() } catch {
            throw ClockExchangeError(operation: "open event descriptor", code: error.code)
        }
    }
}

extension HostThread {
    static func forClockExchange(
        name: String, _ body: @escaping @Sendable () -> Void
    ) throws(ClockExchangeError) -> HostThread {
        do { return try HostThread(name: name, body) } catch {
            throw ClockExchangeError(operation: "start thread \(name)", code: error.code)
        }
    }
}
