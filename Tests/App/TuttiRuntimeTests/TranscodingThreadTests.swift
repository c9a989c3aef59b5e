import AudioCore
import AudioDecoding
import NIOCore
import StreamTestKit
import Synchronization
import Testing

@testable import Broadcasting
@testable import TuttiRuntime

/// A broadcast's end does not wait for a decoder that got stuck.
@Suite(.timeLimit(.minutes(5))) struct TranscodingThreadTests {
    /// Is in the middle of a packet until it is let go.
    private final class StuckDecoder: AudioPacketDecoder {
        final class Gate: Sendable {
            let isBusy: Monitor<Bool>
            let isOpen: Monitor<Bool>
            let isGone: Monitor<Bool>

            init() throws {
                isBusy = try Monitor(false)
                isOpen = try Monitor(false)
                isGone = try Monitor(false)
            }
        }

        let sampleRate = 44_100.0
        let channelCount = 1
        let damagedPacketCount = 0
        private let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        deinit { gate.isGone.change { $0 = true } }

        func decode(
            packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
        ) throws(AudioDecodingError) {
            gate.isBusy.change { $0 = true }
            TranscodingThreadTests.wait(for: gate.isOpen)
            gate.isBusy.change { $0 = false }
        }

        func reset(streamFrame: Int64) {}
    }

    /// Waits for half a minute, if need be.
    @discardableResult
    private static func wait(for condition: Monitor<Bool>) -> Bool { condition.wait(atMost: .seconds(30)) { $0 } }

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
        let gate = try StuckDecoder.Gate()
        let replies = Mutex(0)
        let thread = try thread(gate) { _ in replies.withLock { $0 += 1 } }
        thread.transcode(request)
        #expect(Self.wait(for: gate.isBusy))
        thread.stop()
        // It is in the same packet still.
        #expect(gate.isBusy.value)
        gate.isOpen.change { $0 = true }
        // As soon as it can, the thread lets go of what it holds, and says nothing any more.
        #expect(Self.wait(for: gate.isGone))
        #expect(replies.withLock { $0 } == 0)
    }

    @Test func oneThatIsNotStuckAnswers() throws {
        let gate = try StuckDecoder.Gate()
        gate.isOpen.change { $0 = true }
        let replied = try Monitor(false)
        let thread = try thread(gate) { reply in
            if case .frames(let data, at: .zero) = reply.outcome, data.readableBytes == 60 {
                replied.change { $0 = true }
            }
        }
        thread.transcode(request)
        #expect(Self.wait(for: replied))
        thread.stop()
        #expect(Self.wait(for: gate.isGone))
    }
}
