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
/// It waits for a source only where a signal can end the wait. Each ``read()`` is answered by one event besides those
/// that may come at any time, until an end or a failure. If another song follows in the same source,
/// ``beginNext(_:)`` goes on with it.
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
            var isStopping = false
            var failure: SongFailure?
            var handler: @Sendable (SourceEvent) -> Void
        }
        let state: Mutex<State>
        let wake: WakeSignal

        init(_ handler: @escaping @Sendable (SourceEvent) -> Void) throws(DescriptorError) {
            wake = try WakeSignal()
            state = Mutex(State(handler: handler))
        }
    }

    /// - Parameters:
    ///   - name: what the user named; see `SongAddress`.
    ///   - raw: the format of samples without a header.
    ///   - reach: where a URL may lead.
    ///   - songsBefore: songs of the source that are passed over.
    ///   - firstFrame: where to begin; a source that cannot seek is read from its beginning.
    ///   - handler: called on the reader's thread. It must not call back.
    init(
        _ name: String, raw: RawPCMFormat? = nil, reach: HTTPReach = .anywhere, songsBefore: Int = 0,
        from firstFrame: FramePosition = .zero, handler: @escaping @Sendable (SourceEvent) -> Void
    ) throws(RuntimeFailure) {
        let passedSource: Mutex<(any ByteSource)?>
        do throws(SongFailure) {
            passedSource = Mutex(try SongSource.make(name, raw: raw, reach: reach))
        } catch { throw RuntimeFailure(error) }
        do throws(DescriptorError) { shared = try Shared(handler) } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti reader") {
                guard let source = passedSource.withLock({ $0.take() }) else { return }
                Self.run(SongParser(source, songsBefore: songsBefore, from: firstFrame), shared)
            }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// Why the song could not be read, or not to its end; set before the event that reports it. Any thread may read it.
    var failure: SongFailure? { shared.state.withLock(\.failure) }

    /// Moves to the next song of the source, if there is one. Any thread may call it, once the previous song is over.
    /// - Parameter handler: replaces the previous one.
    func beginNext(_ handler: @escaping @Sendable (SourceEvent) -> Void) {
        shared.state.withLock { state in
            state.handler = handler
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

    private static func run(_ parser: consuming SongParser, _ shared: Shared) {
        var parser = parser
        func pass(_ event: SourceEvent) { shared.state.withLock { if !$0.isStopping { $0.handler(event) } } }
        while true {
            let (isWanted, isStopping, isNextWanted) = shared.state.withLock { state in
                defer { state.wantsNext = false }
                return (state.wantsMore, state.isStopping, state.wantsNext)
            }
            if isStopping { return }
            if isNextWanted { parser.beginNext() }
            guard isWanted else {
                // What is wanted goes first.
                if !parser.isMeasurable {
                    shared.wake.wait(atMost: .seconds(60))
                } else if let length = parser.measure() {
                    pass(length)
                }
                continue
            }
            let answer = parser.next(byteCount: pieceByteCount)
            // A title belongs to what follows these packets.
            let later = parser.takeEvents()
            if let description = parser.takeDescription() { pass(description) }
            guard let answer else {
                for event in later { pass(event) }
                parser.wait(atMost: .seconds(60), wake: shared.wake)
                continue
            }
            let failure = parser.failure
            shared.state.withLock { state in
                state.wantsMore = false
                state.failure = failure
            }
            for event in answer + later { pass(event) }
        }
    }
}
