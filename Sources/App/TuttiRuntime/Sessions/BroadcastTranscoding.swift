import AudioDecoding
import Broadcasting
import NIOCore

/// Decoding for listeners that cannot decode the song: its thread is made for the first of them.
///
/// Confined to its event loop.
final class BroadcastTranscoding {
    private let decoders: DecoderCatalog
    private let loop: any EventLoop
    private var thread: TranscodingThread?
    /// Called on the event loop, not before `transcode` has returned.
    var handler: @Sendable (TranscodingReply) -> Void = { _ in }

    init(decoders: DecoderCatalog, loop: any EventLoop) {
        self.decoders = decoders
        self.loop = loop
    }

    /// Decodes a piece of the song.
    func transcode(_ request: TranscodingRequest) {
        do throws(RuntimeFailure) {
            try startedThread().transcode(request)
        } catch {
            let reason = "this machine has no thread or file descriptor left"
            let reply = TranscodingReply(rendition: request.rendition, outcome: .failed(reason))
            loop.execute { [handler] in handler(reply) }
        }
    }

    private func startedThread() throws(RuntimeFailure) -> TranscodingThread {
        if let thread { return thread }
        let thread = try TranscodingThread(decoders: decoders) { [loop, handler] reply in
            loop.execute { handler(reply) }
        }
        self.thread = thread
        return thread
    }

    /// Releases the decoder: nobody needs it any more.
    func release() { thread?.release() }

    func stop() { thread?.stop() }
}
