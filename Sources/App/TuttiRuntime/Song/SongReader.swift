import AudioCore
import Broadcasting
import Glibc
import HostSystem
import NIOCore
import Songs
import Synchronization

/// Reads a song's source piece by piece and parses it, on a thread of its own: a slow disk or server delays nothing
/// else.
///
/// It waits for a source only where a signal can end the wait. Each ``read()`` is answered by one event besides notices
/// and titles, until an end or a failure. Then another song may follow in the same source (``hasNext``), for a new
/// owner: ``beginNext(_:)``.
final class SongReader: Sendable {
    /// Bytes read for one answer, as long as packets come out of them.
    private static let pieceByteCount = 64 * 1024
    /// How long to wait for the thread. A piece takes milliseconds, but a lost disk or a hung trial decoder takes
    /// longer.
    private static let longestStop = TimeSpan.milliseconds(100)

    private let shared: Shared
    private let thread: HostThread

    private final class Shared: Sendable {
        struct State {
            var wantsMore = false
            var wantsNext = false
            var hasNext = false
            var isStopping = false
            var failure: SongFailure?
            var handler: @Sendable (SourceEvent) -> Void
        }
        let state: Mutex<State>
        let wake: WakeSignal

        init(_ handler: @escaping @Sendable (SourceEvent) -> Void) throws(WakeSignalError) {
            wake = try WakeSignal()
            state = Mutex(State(handler: handler))
        }
    }

    /// - Parameters:
    ///   - name: what the user named; see `SongAddress`.
    ///   - raw: the format of samples without a header.
    ///   - handler: called on the reader's thread. It must not call back.
    init(
        _ name: String, raw: RawPCMFormat? = nil, handler: @escaping @Sendable (SourceEvent) -> Void
    ) throws(RuntimeFailure) {
        let handover: Mutex<(any ByteSource)?>
        do throws(SongFailure) {
            handover = Mutex(try SongSource.make(name, raw: raw))
        } catch { throw RuntimeFailure(error) }
        do throws(WakeSignalError) { shared = try Shared(handler) } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti reader") {
                guard let source = handover.withLock({ $0.take() }) else { return }
                Self.run(source, shared)
            }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// Why the song could not be read, or not to its end; set before the event that reports it. Any thread may read it.
    var failure: SongFailure? { shared.state.withLock(\.failure) }

    /// Whether another song follows the one that is over; known before the event that ends it. Any thread may read it.
    var hasNext: Bool { shared.state.withLock(\.hasNext) }

    /// Calls the handler no more; the source waits for ``beginNext(_:)``. Any thread may call it.
    func rest() { shared.state.withLock { $0.handler = { _ in } } }

    /// Moves to the next song of the source. Any thread may call it, once the previous song is over.
    /// - Parameter handler: replaces the previous one.
    func beginNext(_ handler: @escaping @Sendable (SourceEvent) -> Void) {
        shared.state.withLock { state in
            state.handler = handler
            guard state.hasNext else { return }
            state.hasNext = false
            state.failure = nil
            state.wantsNext = true
        }
        shared.wake.signal()
    }

    /// Asks for more of the song. Any thread may call it.
    func read() {
        shared.state.withLock { $0.wantsMore = true }
        shared.wake.signal()
    }

    /// Ends the thread: at once, or when a disk that blocks it lets go. No event comes after this returns.
    /// - Returns: whether it has ended.
    @discardableResult
    func stop() -> Bool {
        shared.state.withLock { $0.isStopping = true }
        shared.wake.signal()
        return thread.join(atMost: Self.longestStop)
    }

    private static func run(_ source: any ByteSource, _ shared: Shared) {
        var parser = SongParser(source)
        func pass(_ event: SourceEvent) { shared.state.withLock { if !$0.isStopping { $0.handler(event) } } }
        while true {
            let (isWanted, isStopping, isNextWanted) = shared.state.withLock { state in
                defer { state.wantsNext = false }
                return (state.wantsMore, state.isStopping, state.wantsNext)
            }
            if isStopping { return }
            if isNextWanted { parser.beginNext() }
            guard isWanted else {
                shared.wake.wait(atMost: .seconds(60))
                continue
            }
            let event = parser.next(byteCount: pieceByteCount)
            let sourceEvents = parser.takeEvents()
            guard let event else {
                for event in sourceEvents { pass(event) }
                parser.wait(atMost: .seconds(60), wake: shared.wake)
                continue
            }
            let (failure, hasNext) = (parser.failure, event.isLast && parser.hasNext)
            shared.state.withLock { state in
                state.wantsMore = false
                state.failure = failure
                state.hasNext = hasNext
            }
            pass(event)
            // A title belongs to what follows these packets.
            for event in sourceEvents { pass(event) }
        }
    }
}

extension SourceEvent {
    fileprivate var isLast: Bool {
        switch self {
        case .ended, .failed: true
        default: false
        }
    }
}
