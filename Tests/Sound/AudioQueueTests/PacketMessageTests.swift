import AudioCore
import AudioDecoding
import Testing

@testable import AudioQueueServices

/// Packets that come in one message are taken at once, as each of them would be alone.
@Suite(.timeLimit(.minutes(5))) struct PacketMessageTests {
    private static let packetByteCount = CountingSong.packetFrameCount * 2

    /// The song's packets from `frame` on, with as many bytes of something else before and between them.
    private func message(from frame: Int64, count: Int) -> (packets: [AudioPacketDescription], data: [UInt8]) {
        var packets: [AudioPacketDescription] = []
        var data: [UInt8] = []
        for index in 0..<count {
            data += [UInt8](repeating: 0xEE, count: 3)
            packets.append(
                AudioPacketDescription(
                    startOffset: data.count, byteCount: Self.packetByteCount,
                    frameCount: CountingSong.packetFrameCount))
            data += CountingSong.packet(at: frame + Int64(index * CountingSong.packetFrameCount))
        }
        return (packets, data)
    }

    @Test func aMessageIsHeardAsItsPacketsAre() throws {
        var feeder = PacketFeeder(decoders: .builtIn)
        let rendition = try feeder.begin(CountingSong.stream())
        for frame in stride(from: Int64(0), to: 3_000, by: 1_000) {
            let (packets, data) = message(from: frame, count: 10)
            let count = feeder.enqueue(
                packets.span, data: data.span.bytes, at: FramePosition(frame), epoch: Epoch(1))
            #expect(count == 10)
        }
        #expect(feeder.snapshot.queuedByteCount == 30 * Self.packetByteCount)
        feeder.feedAll()
        #expect(rendition.frames == (0..<3_000).map(CountingSong.value(at:)))
        #expect(feeder.snapshot.queuedByteCount == 0 && feeder.snapshot.gapCount == 0)
    }

    @Test func whatIsThereAlreadyAndWhatDoesNotFitIsRefusedPacketByPacket() throws {
        var limits = TimelineQueueLimits()
        limits.queuedByteCount = 8 * Self.packetByteCount
        var intake = PacketIntake(limits: limits)
        let rendition = try intake.begin(CountingSong.stream())
        var decoding = PacketDecoding(decoders: .builtIn)
        let (first, firstData) = message(from: 0, count: 5)
        let taken = intake.enqueue(first.span, data: firstData.span.bytes, at: .zero, epoch: Epoch(1))
        #expect(taken == 5)
        // Two of these are there, three fit, and five do not.
        let (second, secondData) = message(from: 300, count: 10)
        let fitting = intake.enqueue(
            second.span, data: secondData.span.bytes, at: FramePosition(300), epoch: Epoch(1))
        #expect(fitting == 3)
        #expect(intake.snapshot.stalePacketCount == 2 && intake.snapshot.refusedPacketCount == 5)
        #expect(intake.snapshot.queuedByteCount == limits.queuedByteCount)

        var largestBlock = 0
        var step = PacketFeederStep.fed
        while step == .fed {
            let task = intake.next()
            if case .decode(let packet, _) = task.work { largestBlock = max(largestBlock, packet.block.count) }
            step = try decoding.perform(task)
        }
        #expect(rendition.frames == (0..<800).map(CountingSong.value(at:)))
        // What was refused takes no memory.
        #expect(largestBlock == 5 * Self.packetByteCount)
    }

    @Test func aMessageOfAnotherEpochIsDropped() throws {
        var feeder = PacketFeeder(decoders: .builtIn)
        _ = try feeder.begin(CountingSong.stream(epoch: 2))
        let (packets, data) = message(from: 0, count: 10)
        let count = feeder.enqueue(packets.span, data: data.span.bytes, at: .zero, epoch: Epoch(1))
        #expect(count == 0)
        #expect(feeder.snapshot.queuedPacketCount == 0)
    }
}
