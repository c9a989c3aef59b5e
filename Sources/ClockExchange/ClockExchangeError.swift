import Glibc

/// A socket or thread of the clock exchange could not be made.
public struct ClockExchangeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried.
    public var operation: String
    /// errno(3).
    public var code: Int32

    public var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
