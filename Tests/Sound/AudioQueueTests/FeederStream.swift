import AudioCore
import AudioDecoding
import AudioQueueServices

@testable import Playout

/// A song of one channel whose frame n is the 16-bit sample n % 20,000 + 1, in packets of 100 frames.
struct CountingSong {
    static let rate = 8_000.0
    static let packetFrameCount = 100

    static func stream(
        epoch: UInt32 = 1, firstFrame: Int64 = 0, primingFrameCount: Int = 0
    ) -> TimelineQueueStream {
        TimelineQueueStream(
            epoch: Epoch(epoch),
            format: .linearPCM(
                sampleRate: rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger),
            primingFrameCount: primingFrameCount, firstFrame: FramePosition(firstFrame))
    }

    static func sample(at frame: Int64) -> Int16 { Int16(frame % 20_000 + 1) }

    static func value(at frame: Int64) -> Float { Float(sample(at: frame)) / 32_768 }

    static func packet(at frame: Int64) -> [UInt8] {
        (frame..<(frame + Int64(packetFrameCount))).flatMap { frame -> [UInt8] in
            let sample = frame < 0 ? Int16(-1) : sample(at: frame)
            return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
    }
}

extension PacketFeeder {
    /// Enqueues the packet of the song that begins at `frame`.
    @discardableResult
    mutating func enqueue(at frame: Int64, epoch: UInt32 = 1) -> TimelineQueueAdmission {
        let packet = CountingSong.packet(at: frame)
        return enqueue(
            packet.span.bytes, frame: FramePosition(frame), frameCount: CountingSong.packetFrameCount,
            epoch: Epoch(epoch))
    }

    /// Feeds until nothing is left to do; says what ended it.
    @discardableResult
    mutating func feedAll() -> PacketFeederStep {
        while true {
            let step = feed()
            if step != .fed { return step }
        }
    }
}

extension Rendition {
    /// What the ring holds from its first readable frame on.
    var frames: [Float] {
        var result: [Float] = []
        let (floor, end) = ring.storage.pointee.readable
        ring.storage.pointee.forEachReadableRun(at: floor, count: Int(end - floor)) { samples, _, count in
            result += UnsafeBufferPointer(start: samples, count: count * channelCount)
        }
        return result
    }
}
