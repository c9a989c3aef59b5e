import AudioCore
import Controlling
import Glibc
import HostSystem
import PlayerScreen
import TerminalIO
import TuttiRuntime
import WireProtocol

/// The player in the terminal, from its first frame to its end: its model, with threads for keys, signals, the
/// broadcast and the library around it.
final class PlayerSession {
    private let terminal: Terminal
    private let inbox: PlayerInbox
    private let connection: PlayerConnection
    private let library: PlayerLibrary
    private var model: PlayerModel
    private var screen = FullScreen(isColoured: Terminal.allowsColour)
    private var drawnSize = ScreenSize(width: 0, height: 0)
    /// From then on a signal ends the process at once.
    private let ending = Interruption()
    private let glyphs: Glyphs = Terminal.isUnicode ? .unicode : .ascii

    /// At most so often the screen changes.
    private static let interval = TimeSpan.milliseconds(50)
    /// As often what plays is looked at: a song's seconds change in between.
    private static let pace = TimeSpan.milliseconds(250)

    /// - Parameter opening: songs to play at once.
    init(
        target: ControlTarget, output: OutputSelection?, opening: [ItemSource], terminal: Terminal
    ) throws(RuntimeFailure) {
        self.terminal = terminal
        model = PlayerModel(opening: opening)
        do throws(WakeSignalError) {
            inbox = try PlayerInbox()
            library = try PlayerLibrary(inbox: inbox)
        } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
        connection = PlayerConnection(target: target, output: output, inbox: inbox)
    }

    func run() throws(RuntimeFailure) {
        try watchSignals()
        KeyReader.start(onEnd: { [inbox] in inbox.post(.end(Self.lostTerminal)) }) { [inbox] key in
            inbox.post(.key(key))
        }
        let controlThread = try connection.start()
        let libraryThreads = try library.start()
        let failure = showAll()
        terminal.leave()
        ending.raise(SIGTERM, now: .now())
        connection.stop()
        library.stop()
        controlThread.join()
        connection.join()
        // A disk may hold them up: what they have not written is read again the next time.
        for thread in libraryThreads { thread.join(atMost: .seconds(1)) }
        if let failure { throw failure }
    }

    /// Shows what happens until it ends.
    /// - Returns: why, if not as the user wishes.
    private func showAll() -> RuntimeFailure? {
        guard draw() else { return Self.lostTerminal }
        while true {
            let now = HostTime.now()
            for news in inbox.take(atMost: model.isMoving(now) ? Self.pace : .seconds(60)) {
                switch news {
                case .event(let event): if take(event) { return nil }
                case .redraw: screen.forget()
                case .end(let failure): return failure
                }
            }
            guard draw() else { return Self.lostTerminal }
            sleepThread(for: max(.zero, Self.interval - (HostTime.now() - now)))
        }
    }

    private static let lostTerminal = RuntimeFailure(.lost, .other("the terminal is gone"))

    /// - Returns: whether the user ends it.
    private func take(_ event: PlayerEvent) -> Bool {
        model.ownsBroadcast = connection.ownsBroadcast
        for action in model.handle(event, size, now: .now()) {
            switch action {
            case .request(let request): connection.request(request)
            case .search(let query): library.search(query)
            case .begin: connection.begin()
            case .quit: return true
            }
        }
        return false
    }

    private var size: ScreenSize {
        let size = Terminal.outputSize
        return ScreenSize(width: size.width, height: size.height)
    }

    /// - Returns: false if nobody can see it any more.
    private func draw() -> Bool {
        if !terminal.isEntered { screen.forget() }
        guard terminal.enter() else { return true }
        let size = size
        if size != drawnSize { screen.forget() }
        drawnSize = size
        let text = screen.draw(model.frame(size, now: .now(), glyphs: glyphs), width: size.width)
        return text.isEmpty || terminal.draw(text)
    }

    private func watchSignals() throws(RuntimeFailure) {
        do {
            try SignalWatcher.start { [terminal, inbox, ending] signal in
                switch signal {
                case SIGWINCH: inbox.post(.redraw)
                case SIGTSTP:
                    terminal.giveUp()
                    kill(getpid(), SIGSTOP)
                case SIGQUIT: terminal.giveUp()
                case SIGCONT:
                    terminal.takeBack()
                    inbox.post(.redraw)
                case SIGINT where ending.signal == nil: inbox.post(.key(.control("c")))
                default:
                    guard ending.raise(signal, now: .now()) == .exitAtOnce else { return inbox.post(.end(nil)) }
                    terminal.giveUp()
                    _exit(128 + signal)
                }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }
}
