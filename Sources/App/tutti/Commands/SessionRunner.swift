import Glibc
import HostSystem
import ServiceManager
import Synchronization
import TerminalIO
import TuttiRuntime

/// Runs a broadcast or a listener with its display and signals: what the commands have in common.
///
/// SIGINT, SIGTERM and SIGHUP stop the session cleanly; a second one, or SIGQUIT, ends the process at once, with the
/// terminal restored. The session also stops when nobody reads standard output any more, as it would by SIGPIPE.
struct SessionRunner: Sendable {
    /// The runtime's interface to a session.
    struct Session {
        typealias Handler = @Sendable (RuntimeEvent) -> Void

        var run: (@escaping Handler) throws(RuntimeFailure) -> RuntimeOutcome
        var stop: @Sendable () -> Void
        /// What keys do.
        var onKey: @Sendable (Key) -> Void = { _ in }
        /// Has its thread answer, as a sign that it is not stuck.
        var signOfLife: SignOfLife.Question?
        /// Where the desktop shows it; nil for nowhere.
        var desktop: DesktopPresence?
        /// The page for browsers beside it; nil for none.
        var page: PagePresence?
    }

    let flags: DisplayFlags
    /// The exit code after a clean stop by this signal.
    let codeWhenInterrupted: @Sendable (Int32) -> Int32
    /// Whether the session takes keys, if the terminal shows live lines.
    var readsKeys = false
    /// What brings this machine into a household before the session begins; it gives nil if nothing need.
    var enrolment: (@Sendable (Identity) throws(RuntimeFailure) -> Enrolment?)?

    /// Gives this process its identity, for a session that others see.
    typealias IdentityLoader = () throws(RuntimeFailure) -> Identity
    typealias SessionMaker = (IdentityLoader) throws(RuntimeFailure) -> Session

    /// Runs a session to its end and returns the exit code.
    func run(warnings: [String], _ make: SessionMaker) -> Int32 {
        SignalWatcher.block()
        let interruption = Interruption()
        let terminal = flags.isJSON || flags.level == .quiet ? nil : Terminal(readsKeys: readsKeys)
        do throws(RuntimeFailure) {
            let display = try startDisplay(terminal) { interruption.raise(SIGPIPE, now: .now()) }
            try watchSignals(interruption, terminal, display.mailbox)
            for warning in warnings { display.mailbox.post(.warning(warning)) }
            let result = attempt(make, interruption, display.mailbox, hasKeys: terminal != nil && readsKeys)
            let code = exitCode(result, interruption)
            display.finish(result, exitCode: code)
            if let failure = result.failure { Self.report(failure) }
            return code
        } catch {
            Self.report(error)
            return error.kind.rawValue
        }
    }

    /// Runs a command without a display. Returns 0, or the code of its failure, which is reported.
    static func exitCode(of body: () throws(RuntimeFailure) -> Void) -> Int32 {
        do throws(RuntimeFailure) {
            try body()
            return 0
        } catch {
            report(error)
            return error.kind.rawValue
        }
    }

    /// The identity of a command without a display. What there is to be warned of is printed.
    static func identity() throws(RuntimeFailure) -> Identity {
        let loaded = try IdentityStore.standard().identity()
        for warning in loaded.warnings { warn(warning) }
        return loaded.identity
    }

    /// Prints a line that a command without a display warns with; to the journal with its priority, if it reads that.
    static func warn(_ text: String) {
        if Journal.ofStandardError()?.write(JournalEntry(.warning, text)) == true { return }
        StandardStream.error.write("tutti: warning: \(text)".terminalSafe + "\n")
    }

    /// Prints the one line of a failed command.
    static func report(_ failure: RuntimeFailure) {
        StandardStream.error.write("tutti: \(failure.sentence)".terminalSafe + "\n")
    }

    /// Runs a session to its end, with what comes before it.
    /// - Parameters:
    ///   - life: learns whom to ask for a sign of life, as long as this runs.
    ///   - onBegin: called when others can reach the session, on any thread.
    func attempt(
        _ make: SessionMaker, _ interruption: Interruption, _ mailbox: EventMailbox, hasKeys: Bool,
        life: SignOfLife = SignOfLife(), onBegin: @escaping @Sendable () -> Void = {}
    ) -> SessionResult {
        defer { life.ask(by: nil) }
        do throws(RuntimeFailure) {
            let load = { () throws(RuntimeFailure) -> Identity in
                let loaded = try IdentityStore.standard().identity()
                for warning in loaded.warnings { mailbox.post(.warning(warning)) }
                return loaded.identity
            }
            if case .interrupted = try enrol(load, interruption, mailbox, life) { return .interrupted }
            let session = try make(load)
            let (page, onKey) = (session.page, session.onKey)
            if hasKeys {
                KeyReader.start { key in
                    if key == .character("w"), let address = page?.address {
                        mailbox.post(.lines(PageDisplay.lines(address)))
                    }
                    onKey(key)
                }
            }
            let desktop = session.desktop
            desktop?.begin { mailbox.post(.warning($0)) }
            defer { desktop?.end() }
            defer { page?.end() }
            let plays = PlayRecorder { mailbox.post(.warning($0)) }
            defer { plays.end() }
            interruption.onRaise(session.stop)
            life.ask(by: session.signOfLife)
            let outcome = try session.run { event in
                mailbox.post(.runtime(event))
                if case .notice(.network(.listening)) = event { onBegin() }
                desktop?.take(event)
                plays.take(event)
                page?.take(event) { mailbox.post(.page($0)) }
            }
            switch outcome {
            case .completed: return .completed
            case .interrupted: return .interrupted
            }
        } catch {
            return .failed(error)
        }
    }

    private func enrol(
        _ load: IdentityLoader, _ interruption: Interruption, _ mailbox: EventMailbox, _ life: SignOfLife
    ) throws(RuntimeFailure) -> RuntimeOutcome {
        guard let enrolment, let stage = try enrolment(load()) else { return .completed }
        interruption.onRaise { stage.stop() }
        life.ask(by: { stage.askForSignOfLife($0) })
        defer { life.ask(by: nil) }
        return try stage.run { mailbox.post(.runtime($0)) }
    }

    private func exitCode(_ result: SessionResult, _ interruption: Interruption) -> Int32 {
        switch result {
        case .completed: 0
        case .interrupted: codeWhenInterrupted(interruption.signal ?? SIGINT)
        case .failed(let failure): failure.kind.rawValue
        }
    }

    private func startDisplay(
        _ terminal: Terminal?, onLost: @escaping @Sendable () -> Void
    ) throws(RuntimeFailure) -> DisplayThread {
        if flags.isJSON { return try DisplayThread(JSONDisplay(level: flags.level), onLost: onLost) }
        guard let terminal else { return try DisplayThread(PlainDisplay(level: flags.level), onLost: onLost) }
        return try DisplayThread(LiveDisplay(terminal: terminal, level: flags.level), onLost: onLost)
    }

    private func watchSignals(
        _ interruption: Interruption, _ terminal: Terminal?, _ mailbox: EventMailbox
    ) throws(RuntimeFailure) {
        do {
            try SignalWatcher.start { signal in
                switch signal {
                case SIGWINCH:
                    mailbox.nudge()
                case SIGTSTP:
                    terminal?.giveUp()
                    kill(getpid(), SIGSTOP)
                case SIGQUIT:
                    terminal?.giveUp()
                case SIGCONT:
                    terminal?.takeBack()
                    mailbox.nudge()
                default:
                    guard interruption.raise(signal, now: .now()) == .exitAtOnce else { return }
                    terminal?.giveUp()
                    _exit(128 + signal)
                }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }
}
