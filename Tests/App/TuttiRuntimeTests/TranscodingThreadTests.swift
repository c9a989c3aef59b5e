import AudioCore
import AudioDecoding
import Glibc
import NIOCore
import Synchronization
import Testing

@testable import Broadcasting
@testable import TuttiRuntime

/// A broadcast's end does not wait for a decoder that got stuck.
@Suite(.timeLimit(.minutes(5))) struct TranscodingThreadTests {
    /// Is in the middle of a packet until it is let go.
    private final class StuckDecoder: AudioPacketDecoder {
        final class Gate: Sendable {
            let isBusy = Mutex(false)
            let isOpen = Mutex(false)
            let isGone = Mutex(false)

        }

        let sampleRate = 44_100.0
        let channelCount = 1
        let damagedPacketCount = 0
        private let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        deinit { gate.isGone.withLock { $0 = true } }

        func decode(
            packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
        ) throws(AudioDecodingError) {
            gate.isBusy.withLock { $0 = true }
            TranscodingThreadTests.wait { gate.isOpen.withLock { $0 } }
            gate.isBusy.withLock { $0 = false }
        }

        func reset(streamFrame: Int64) {}
    }

    /// Looks for half a minute, if need be.
    @discardableResult
    private static func wait(until isSo: () -> Bool) -> Bool {
        for _ in 0..<30_000 {
            if isSo() { return true }
            usleep(1_000)
        }
        return false
    }

    private var request: TranscodingRequest {
        let packets = (0..<3).map { AudioPacketDescription(startOffset: $0, byteCount: 1, frameCount: 10) }
        return TranscodingRequest(
            rendition: RenditionNumber(epoch: Epoch(1), count: 1),
            source: AudioStreamFormat(codec: Self.codec, sampleRate: 44_100, channelsPerFrame: 1),
            magicCookie: [],
            target: .linearPCM(
                sampleRate: 44_100, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger),
            streamFrame: 0, position: .zero, firstFrame: .zero, packets: packets,
            data: ByteBuffer(repeating: 0, count: 3))
    }

    private static let codec = Codec("stuk")

    private func thread(
        _ gate: StuckDecoder.Gate, _ handler: @escaping @Sendable (TranscodingReply) -> Void
    ) throws -> TranscodingThread {
        var decoders = DecoderCatalog.builtIn
        decoders.register(Self.codec) { (_, _) throws(AudioDecodingError) in StuckDecoder(gate) }
        return try TranscodingThread(decoders: decoders, handler: handler)
    }

    @Test func theEndDoesNotWaitForAStuckDecoder() throws {
        let gate = StuckDecoder.Gate()
        let replies = Mutex(0)
        let thread = try thread(gate) { _ in replies.withLock { $0 += 1 } }
        thread.transcode(request)
        #expect(Self.wait { gate.isBusy.withLock { $0 } })
        thread.stop()
        // It is in the same packet still.
        #expect(gate.isBusy.withLock { $0 })
        gate.isOpen.withLock { $0 = true }
        // As soon as it can, the thread lets go of what it holds, and says nothing any more.
        #expect(Self.wait { gate.isGone.withLock { $0 } })
        #expect(replies.withLock { $0 } == 0)
    }

    @Test func oneThatIsNotStuckAnswers() throws {
        let gate = StuckDecoder.Gate()
        gate.isOpen.withLock { $0 = true }
        let replied = Mutex(false)
        let thread = try thread(gate) { reply in
            if case .frames(let data, at: .zero) = reply.outcome, data.readableBytes == 60 {
                replied.withLock { $0 = true }
            }
        }
        thread.transcode(request)
        #expect(Self.wait { replied.withLock { $0 } })
        thread.stop()
        #expect(Self.wait { gate.isGone.withLock { $0 } })
    }
}
