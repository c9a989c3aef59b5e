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
    private var pictures: PlayerPictures
    /// From then on a signal ends the process at once.
    private let ending = Interruption()
    private let glyphs: Glyphs = Terminal.isUnicode ? .unicode : .ascii

    /// At most so often the screen changes.
    private static let interval = TimeSpan.milliseconds(50)

    /// - Parameter opening: songs to play at once.
    init(
        target: ControlTarget, own: OwnBroadcast.Options, opening: [ItemSource], terminal: Terminal
    ) throws(RuntimeFailure) {
        self.terminal = terminal
        model = PlayerModel(opening: opening)
        do throws(DescriptorError) {
            inbox = try PlayerInbox()
            library = try PlayerLibrary(inbox: inbox)
        } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
        pictures = PlayerPictures(inbox: inbox)
        connection = PlayerConnection(target: target, own: own, inbox: inbox)
    }

    func run() throws(RuntimeFailure) {
        try watchSignals()
        KeyReader.start(
            onEnd: { [inbox] in inbox.post(.end(Self.lostTerminal)) },
            onAnswer: { [inbox] in inbox.post(.answer($0)) }
        ) { [inbox] in inbox.post(.key($0)) }
        let pictureThread = pictures.start()
        if pictures.areShown { take(.picturesArePossible) }
        let controlThread = try connection.start()
        let libraryThreads = try library.start()
        let failure = showAll()
        _ = terminal.draw(screen.farewell)
        terminal.leave()
        ending.raise(SIGTERM, now: .now())
        connection.stop()
        library.stop()
        pictures.stop()
        controlThread.join()
        connection.join()
        // A disk may hold them up: what they have not written is read again the next time.
        for thread in libraryThreads + [pictureThread].compactMap(\.self) { thread.join(atMost: .seconds(1)) }
        if let failure { throw failure }
    }

    /// Shows what happens until it ends.
    /// - Returns: why, if not as the user wishes.
    private func showAll() -> RuntimeFailure? {
        guard draw() else { return Self.lostTerminal }
        while true {
            let now = HostTime.now()
            for news in inbox.take(atMost: model.pace(size, now) ?? .seconds(60)) {
                switch news {
                case .event(let event): if take(event) { return nil }
                case .answer(let answer):
                    pictures.receive(answer)
                    if pictures.areShown { take(.picturesArePossible) }
                case .picture(let picture, let number): if pictures.isWanted(number: number) { place(picture) }
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
    @discardableResult
    private func take(_ event: PlayerEvent) -> Bool {
        model.ownsBroadcast = connection.ownsBroadcast
        for action in model.handle(event, size, now: .now()) {
            switch action {
            case .request(let request): connection.request(request)
            case .search(let query): library.search(query)
            case .listAlbums: library.listAlbums()
            case .songs(let request): library.findSongs(of: request)
            case .show(let picture): show(picture)
            case .begin: connection.begin()
            case .quit: return true
            }
        }
        return false
    }

    private func show(_ picture: [UInt8]?) {
        place(nil)
        pictures.show(picture, size)
    }

    /// Places a picture in the upper right corner.
    private func place(_ picture: TerminalPicture?) {
        screen.place(picture, row: 0, column: picture.map { size.width - $0.columns } ?? 0)
        take(.picture(isShown: picture != nil))
    }

    private var size: ScreenSize {
        let size = Terminal.outputSize
        return ScreenSize(width: size.width, height: size.height)
    }

    /// - Returns: false if nobody can see it any more.
    private func draw() -> Bool {
        if !terminal.isEntered { screen.forget() }
        guard terminal.enter() else { return true }
        let query = pictures.takeQuery()
        if !query.isEmpty, !terminal.draw(query) { return false }
        let size = size
        if size != drawnSize {
            screen.forget()
            // Until it is rendered for this size there is none.
            place(nil)
            pictures.render(size)
        }
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
