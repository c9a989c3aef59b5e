import AudioCore
import Broadcasting
import NIOCore
import NIOPosix
import Programmes
import Songs
import Synchronization
import WireProtocol

/// One broadcast from start to end: `tutti broadcast` without its terminal.
///
/// Its songs follow one another on one timeline, without a gap. A source may hold several songs. A song that cannot be
/// played is reported as `tutti inspect` reports it, and passed over.
public final class Broadcaster: Sendable {
    private let songs: [String]
    private let options: BroadcastOptions
    private let identity: Identity
    private let control = RunControl()
    private let isStopped = Mutex(false)
    /// Set while it runs.
    private let runner = Mutex<BroadcastRunner?>(nil)
    /// Where the page for browsers is.
    private let page = Mutex<PageLocation?>(nil)

    /// - Parameter songs: songs, and directories and playlists of songs (``SongCollection``); empty where a sound
    ///   device is captured (``BroadcastOptions/capture``).
    public init(songs: [String] = [], options: BroadcastOptions, identity: Identity) {
        self.songs = songs
        self.options = options
        self.identity = identity
    }

    /// Runs until the last frame of the last song was heard or ``stop()`` was called; blocks the calling thread.
    /// - Parameter handler: called for every event, one call at a time.
    /// - Throws: why it could not begin, or not go on; at the end, how many songs could not be played.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        let items = try findItems(handler)
        if isStopped.withLock({ $0 }) { return .interrupted }
        defer { runner.withLock { $0 = nil } }
        return try control.run { loop in
            let runner = BroadcastRunner(
                items: items, options: self.options, identity: self.identity, loop: loop, emit: handler)
            self.runner.withLock { $0 = runner }
            self.control.onStop(loop) { runner.stop() }
            runner.notePage(self.page.withLock { $0 })
            return runner.run().map { $0 == .completed ? .completed : .interrupted }
        }
    }

    /// Returns the songs behind the names, and reports what was skipped.
    private func findItems(
        _ handler: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) -> [NewItem] {
        if let capture = options.capture {
            return [NewItem(.local(capture.deviceName), title: "live from \(capture.deviceName)", isLive: true)]
        }
        do throws(SongFailure) {
            let collection = try SongCollection(songs) { self.isStopped.withLock { $0 } }
            for problem in collection.problems { handler(.notice(.song(.listProblem(problem)))) }
            return collection.songs.map { NewItem(song: $0) }
        } catch {
            throw RuntimeFailure(error)
        }
    }

    /// Ends the broadcast cleanly: listeners fade out, mDNS says goodbye. Any thread may call it, also before `run`.
    public func stop() {
        isStopped.withLock { $0 = true }
        control.stop()
    }

    /// Commands the broadcast. A notice tells of one that is refused. From any thread; of no effect
    /// before `run` and after it.
    public func perform(_ operation: ProgrammeOperation) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.perform(.programme(operation)) }
    }

    /// Tells those who follow where the page for browsers is; nil: there is none any more. From any thread, also before
    /// `run`.
    public func notePage(_ location: PageLocation?) {
        page.withLock { $0 = location }
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.notePage(location) }
    }

    /// Takes a browser that listens: bytes of the wire protocol, in the clear. From any thread.
    /// - Parameters:
    ///   - instance: that of the browser's listener; one that greets with another is refused.
    ///   - address: the browser's, for display and for limits.
    ///   - send: takes bytes for it, on the broadcast's own thread; tell of them by
    ///     ``BrowserConnection/noteWritten(byteCount:)``.
    ///   - close: called on that thread, once, when the broadcast ends the connection.
    /// - Returns: nil while the broadcast does not run.
    public func connectBrowser(
        instance: UInt64, address: String, send: @escaping @Sendable (ByteBuffer) -> Void,
        close: @escaping @Sendable () -> Void
    ) -> BrowserConnection? {
        guard let runner = runner.withLock({ $0 }) else { return nil }
        let control = control
        let connection = BrowserConnection(runner.newBrowserID()) { body in control.execute { body(runner) } }
        control.execute {
            runner.browsers.open(
                connection.id, instance: instance, address: address, BrowserLine.Transport(send: send, close: close))
        }
        return connection
    }

    /// Changes how the own loudspeakers play (``BroadcastOptions/output``), or, where there are none, the volume of the
    /// group. From any thread; of no effect before `run`
    /// and after it.
    public func perform(_ command: LoudspeakerCommand) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.perform(command) }
    }
}
