import AudioCore
import Glibc
import HostSystem
import ServiceManager
import TuttiRuntime

// A service is a row of sessions of one process: another one begins when the configuration has changed, and when the
// last one could not begin or go on, after a while. What a session itself can wait for, it waits for: a sound device
// (JoinOptions.waitsForOutput), mDNS, a network, a broadcast.
//
// Three threads take part besides the sessions' own: the main one, which runs one session after the other; that of the
// signals; and that of the ServiceKeeper, which nothing holds up. The configuration is read on another one, which ends
// with that.

/// Runs a command as a service: until SIGTERM or SIGINT, through what is missing, with SIGHUP to read the configuration
/// anew.
struct ServiceRunner<Served: ServedCommand> {
    private let control: ServiceControl<Served>
    private let keeper: ServiceKeeper
    private let life: SignOfLife
    private let display: DisplayThread

    /// Runs the service to its end and returns the exit code.
    static func run(_ command: Served) -> Int32 {
        SignalWatcher.block()
        do throws(RuntimeFailure) {
            return try ServiceRunner(command).run()
        } catch {
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }

    private init(_ command: Served) throws(RuntimeFailure) {
        let journal = Journal.ofStandardError()
        control = try ServiceControl(command)
        let life = SignOfLife()
        self.life = life
        let keeper = try ServiceKeeper(ServiceNotifier(), life) {
            let notice = ServiceNotice.stuck
            let entry = JournalEntry(.warning, notice.sentence, [.init(.event, notice.journalEvent)])
            if journal?.write(entry) != true { SessionRunner.warn(notice.sentence) }
        }
        self.keeper = keeper
        display = try DisplayThread(ServiceDisplay(command.display, journal: journal, keeper: keeper)) {}
    }

    private func run() throws(RuntimeFailure) -> Int32 {
        try watchSignals()
        try keeper.start()
        let result = runSessions()
        let code = result.failure?.kind.rawValue ?? 0
        display.finish(result, exitCode: code)
        keeper.end()
        return code
    }

    private func runSessions() -> SessionResult {
        var retries = Retries()
        while let turn = control.nextTurn() {
            let result = turn.command.runner.attempt(
                turn.command.session, turn.interruption, display.mailbox, hasKeys: false, life: life,
                onBegin: { [mailbox = display.mailbox, isRetry = retries.isWaiting] in
                    if isRetry { mailbox.post(.service(.begins)) }
                })
            if control.isEnding { break }
            if !control.hasChanged {
                guard let failure = result.failure, failure.mayPass else { return result }
                wait(retries.note(failure, .now()) { display.mailbox.post(.service(.waiting(failure))) })
            }
            // What failed, failed with what was asked for then.
            if control.hasChanged { retries = Retries() }
        }
        return .interrupted
    }

    /// Waits for the next try, or for a signal.
    private func wait(_ span: TimeSpan) {
        life.ask(by: { $0() })
        control.wait(atMost: span)
        life.ask(by: nil)
    }

    private func watchSignals() throws(RuntimeFailure) {
        let (control, keeper, mailbox) = (control, keeper, display.mailbox)
        do throws(HostThreadError) {
            try SignalWatcher.start { signal in
                switch signal {
                case SIGHUP:
                    keeper.reloading()
                    control.requestReload { mailbox.post(.service($0)) }
                case SIGINT, SIGTERM:
                    switch control.stop(signal, now: .now()) {
                    case .stop:
                        keeper.stopping()
                        mailbox.post(.service(.stopping))
                    case .echo: break
                    case .exitAtOnce: _exit(128 + signal)
                    }
                case SIGTSTP: kill(getpid(), SIGSTOP)
                default: break
                }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }
}
