import AudioCore
import Broadcasting
import Glibc
import HostSystem
import NIOCore
import SongReading
import Synchronization

/// Reads a song's file piece by piece and parses it, on a thread of its own: a slow disk delays nothing else.
///
/// Each ``read()`` is answered by one event, until an end or a failure was the answer.
final class SongReader: Sendable {
    /// Bytes read for one answer, as long as packets come out of them.
    private static let pieceByteCount = 64 * 1024
    /// A piece takes milliseconds; a disk that is gone, or a trial decoder that got stuck, may take its time.
    private static let longestStop = TimeSpan.milliseconds(100)

    private let shared: Shared
    private let thread: HostThread

    private final class Shared: Sendable {
        struct State {
            var wantsMore = false
            var isStopping = false
        }
        let state = Mutex(State())
        let wake: WakeSignal

        init() throws(WakeSignalError) { wake = try WakeSignal() }
    }

    /// - Parameter handler: called on the reader's thread. It must not call back.
    init(path: String, handler: @escaping @Sendable (SourceEvent) -> Void) throws(RuntimeFailure) {
        let file: SongFile
        do throws(SongFailure) { file = try SongFile(path: path) } catch { throw RuntimeFailure(error) }
        do throws(WakeSignalError) { shared = try Shared() } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        let handover = Mutex<SongFile?>(file)
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti reader") {
                guard let file = handover.withLock({ $0.take() }) else { return }
                Self.run(file, shared, handler)
            }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// Asks for more of the song. From any thread.
    func read() {
        shared.state.withLock { $0.wantsMore = true }
        shared.wake.signal()
    }

    /// Ends the thread, at once or, where a disk holds it up, when that lets go; no event comes after this returns.
    func stop() {
        shared.state.withLock { $0.isStopping = true }
        shared.wake.signal()
        thread.join(atMost: Self.longestStop)
    }

    private static func run(
        _ file: consuming SongFile, _ shared: Shared, _ handler: @Sendable (SourceEvent) -> Void
    ) {
        var parser = SongParser(file: file)
        while true {
            let (isWanted, isStopping) = shared.state.withLock { state in
                defer { state.wantsMore = false }
                return (state.wantsMore, state.isStopping)
            }
            if isStopping { return }
            guard isWanted else {
                shared.wake.wait(atMost: .seconds(60))
                continue
            }
            let event = parser.next(byteCount: pieceByteCount)
            shared.state.withLock { if !$0.isStopping { handler(event) } }
        }
    }
}

extension RuntimeFailure {
    public init(_ failure: SongFailure) {
        let kind: Kind =
            switch failure.kind {
            case .missing: .missingInput
            case .unusable: .unusableInput
            case .lost: .lost
            case .cannotCreate: .cannotCreate
            case .stopped: .general
            }
        self.init(kind, failure.message)
    }

    static func outOfResources(code: Int32) -> RuntimeFailure {
        RuntimeFailure(
            .unavailable, "this machine has no thread or file descriptor left (\(code)); end some programs")
    }
}
