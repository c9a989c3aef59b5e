import AudioDecoding
import Broadcasting
import HostSystem
import Synchronization

/// Decodes the song for listeners that cannot, on a thread of its own: the network's does not wait for a decoder.
final class TranscodingThread: Sendable {
    private let shared: Shared
    private let thread: HostThread

    private enum Work {
        case transcode(TranscodingRequest)
        case release
        case stop
    }

    private final class Shared: Sendable {
        /// The newest only: what it replaces is not needed any more.
        let work = Mutex<Work?>(nil)
        let wake: WakeSignal

        init() throws(WakeSignalError) { wake = try WakeSignal() }
    }

    /// - Parameter handler: called on this thread, once for each request that was not replaced by a newer one.
    init(
        decoders: DecoderCatalog, handler: @escaping @Sendable (TranscodingReply) -> Void
    ) throws(RuntimeFailure) {
        do throws(WakeSignalError) { shared = try Shared() } catch { throw .outOfResources(code: error.code) }
        let shared = shared
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti decoder") { Self.run(decoders, shared, handler) }
        } catch { throw .outOfResources(code: error.code) }
    }

    /// From any thread.
    func transcode(_ request: TranscodingRequest) { give(.transcode(request)) }

    /// Lets go of the decoder. From any thread.
    func release() { give(.release) }

    /// Ends the thread; no answer comes after this returns.
    func stop() {
        give(.stop)
        thread.join()
    }

    private func give(_ work: Work) {
        shared.work.withLock { $0 = work }
        shared.wake.signal()
    }

    private static func run(
        _ decoders: DecoderCatalog, _ shared: Shared, _ handler: @Sendable (TranscodingReply) -> Void
    ) {
        var transcoder = SongTranscoder(decoders: decoders)
        while true {
            switch shared.work.withLock({ $0.take() }) {
            case .transcode(let request): handler(transcoder.answer(request))
            case .release: transcoder.release()
            case .stop: return
            case nil: shared.wake.wait(atMost: .seconds(60))
            }
        }
    }
}
