import AudioCore

/// A command line error: one line that says what to change. Shows no credentials of addresses.
struct UsageError: Error, Hashable {
    /// EX_USAGE of BSD's sysexits.h.
    static let exitCode: Int32 = 64

    let message: String

    init(_ message: String) { self.message = message.withoutCredentials }
}
