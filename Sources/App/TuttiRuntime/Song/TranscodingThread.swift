import AudioCore
import AudioDecoding
import Broadcasting
import HostSystem
import Synchronization

/// Decodes the song for listeners that cannot, on a thread of its own: the network does not wait for a decoder.
final class TranscodingThread: Sendable {
    /// How long to wait for the thread. A request takes some milliseconds, but a hung decoder process is given seconds,
    /// and the end of a broadcast does not wait for that.
    private static let longestStop = TimeSpan.milliseconds(100)

    private let shared: Shared
    private let thread: HostThread

    private enum Work {
        case transcode(TranscodingRequest)
        case release
    }

    private final class Shared: Sendable {
        struct State {
            /// The newest request only; those it replaces are no longer needed.
            var work: Work?
            var isStopping = false
        }
        let state = Mutex(State())
        let wake: WakeSignal

        init() throws(DescriptorError) { wake = try WakeSignal() }
    }

    /// - Parameter handler: called on this thread, once for each request that was not replaced by a newer one. It must
    ///   not call back.
    init(
        decoders: DecoderCatalog, handler: @escaping @Sendable (TranscodingReply) -> Void
    ) throws(RuntimeFailure) {
        do throws(DescriptorError) { shared = try Shared() } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti decoder") { Self.run(decoders, shared, handler) }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// Requests a piece of decoding. Any thread may call it.
    func transcode(_ request: TranscodingRequest) { give { $0.work = .transcode(request) } }

    /// Releases the decoder. Any thread may call it.
    func release() { give { $0.work = .release } }

    /// Ends the thread: at once, or when a decoder that blocks it lets go. No answer comes after this returns.
    func stop() {
        give { $0.isStopping = true }
        thread.join(atMost: Self.longestStop)
    }

    private func give(_ change: (inout Shared.State) -> Void) {
        shared.state.withLock { change(&$0) }
        shared.wake.signal()
    }

    private static func run(
        _ decoders: DecoderCatalog, _ shared: Shared, _ handler: @Sendable (TranscodingReply) -> Void
    ) {
        var transcoder = SongTranscoder(decoders: decoders)
        while true {
            let (work, isStopping) = shared.state.withLock { ($0.work.take(), $0.isStopping) }
            if isStopping { return }
            switch work {
            case .transcode(let request):
                let reply = transcoder.answer(request) { shared.state.withLock { $0.isStopping } }
                shared.state.withLock { if !$0.isStopping { handler(reply) } }
            case .release: transcoder.release()
            case nil: shared.wake.wait(atMost: .seconds(60))
            }
        }
    }
}
