import Glibc
import HostSystem

/// Turns signals into calls on a thread of its own, where any function is safe, unlike in a signal handler.
enum SignalWatcher {
    /// Blocks the watched signals on all threads. Call it before the process starts any other thread.
    static func block() {
        var set = watched()
        // To read a terminal that is another process's is an error, and no reason to be stopped.
        sigaddset(&set, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Starts the thread, which lives as long as the process. SIGQUIT ends the process after the handler was called.
    /// - Throws: if the system cannot start another thread.
    static func start(_ handler: @escaping @Sendable (Int32) -> Void) throws(HostThreadError) {
        _ = try HostThread(name: "tutti signals") {
            var set = watched()
            var signal: Int32 = 0
            while true {
                guard sigwait(&set, &signal) == 0 else { continue }
                // Quitting must work whatever hangs: SIGALRM ends the process if the handler does not return.
                if signal == SIGQUIT { alarm(1) }
                handler(signal)
                if signal == SIGQUIT { quit() }
            }
        }
    }

    /// Ends the process by SIGQUIT's default action.
    private static func quit() {
        signal(SIGQUIT, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGQUIT)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(SIGQUIT)
    }

    private static func watched() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGWINCH, SIGTSTP, SIGCONT] { sigaddset(&set, signal) }
        // A signal that our parent ignores, as nohup does SIGHUP, stays ignored.
        for signal in [SIGHUP, SIGQUIT] where !isIgnored(signal) { sigaddset(&set, signal) }
        return set
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
