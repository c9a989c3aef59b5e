import Glibc
import HostSystem

/// Turns signals into calls on a thread of its own, where, unlike in a handler, everything may be called.
enum SignalWatcher {
    /// Takes the watched signals away from all threads. Call it before the process starts any other thread.
    static func block() {
        var set = watched()
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Starts the thread; it lives as long as the process.
    /// - Throws: where the system has no room for another thread.
    static func start(_ handler: @escaping @Sendable (Int32) -> Void) throws(HostThreadError) {
        _ = try HostThread(name: "tutti signals") {
            var set = watched()
            var signal: Int32 = 0
            while true {
                if sigwait(&set, &signal) == 0 { handler(signal) }
            }
        }
    }

    private static func watched() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGWINCH, SIGTSTP, SIGCONT] { sigaddset(&set, signal) }
        // Under nohup the hang-up is ignored, and shall be.
        if !isIgnored(SIGHUP) { sigaddset(&set, SIGHUP) }
        return set
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
