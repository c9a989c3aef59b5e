import AudioCore
import AudioQueueServices
import Broadcasting
import NIOCore

/// Turns captured buffers into a song's packets: linear PCM, one packet per buffer. Frame 0 is the first one captured.
///
/// Lost frames become silence, so that those after them keep their place. Pure.
struct CapturePackets {
    private let format: AudioStreamFormat
    private let title: String
    /// The device's frame that is frame 0.
    private var first: DeviceFrame?
    /// The frame after the last packet.
    private var next: Int64 = 0
    /// Frames since the clock was last reported.
    private var framesSinceClock = Int64.max

    /// A device that was away for longer than this ends the broadcast.
    static let longestGap = TimeSpan.seconds(10)
    private static let clockInterval = TimeSpan.milliseconds(250)
    private static let silenceFrameCount = 1_024

    init(format: AudioStreamFormat, title: String) {
        self.format = format
        self.title = title
    }

    /// Returns the events for a buffer, in order; nil if so much was lost before it that the broadcast cannot go on.
    mutating func events(for buffer: borrowing InputBuffer) -> [SourceEvent]? {
        buffer.withBytes { events(for: $0, frameCount: buffer.frameCount, time: buffer.time) }
    }

    mutating func events(for bytes: RawSpan, frameCount: Int, time: DeviceInstant) -> [SourceEvent]? {
        let isFirst = first == nil
        let position = time.frame - (first ?? time.frame)
        first = first ?? time.frame
        let missing = position - next
        guard missing >= 0, Double(missing) <= Self.longestGap.seconds * format.sampleRate else { return nil }
        var packets: [AudioPacketDescription] = []
        var data = ByteBuffer()
        silence(missing, &packets, &data)
        packets.append(
            AudioPacketDescription(startOffset: data.writerIndex, byteCount: bytes.byteCount, frameCount: frameCount))
        bytes.withUnsafeBytes { _ = data.writeBytes($0) }
        next = position + Int64(frameCount)
        let read = SourceEvent.read(properties: isFirst ? properties : [], packets: packets, data: data)
        // First the clock, which says when the packets are due.
        return clock(position, frameCount, time).map { [.clock($0), read] } ?? [read]
    }

    /// Appends packets of silence.
    private func silence(_ frameCount: Int64, _ packets: inout [AudioPacketDescription], _ data: inout ByteBuffer) {
        var rest = frameCount
        while rest > 0 {
            let count = Int(min(rest, Int64(Self.silenceFrameCount)))
            let byteCount = count * format.bytesPerFrame
            packets.append(
                AudioPacketDescription(startOffset: data.writerIndex, byteCount: byteCount, frameCount: count))
            data.writeRepeatingByte(0, count: byteCount)
            rest -= Int64(count)
        }
    }

    /// Returns the clock, a few times a second.
    private mutating func clock(_ position: Int64, _ frameCount: Int, _ time: DeviceInstant) -> SourceClock? {
        guard Double(framesSinceClock) >= Self.clockInterval.seconds * format.sampleRate else {
            framesSinceClock += Int64(frameCount)
            return nil
        }
        framesSinceClock = Int64(frameCount)
        // Session time is the broadcaster's host time.
        return SourceClock(
            frame: FramePosition(position), session: ClockMapping.identity.session(at: time.host),
            framesPerSecond: time.framesPerSecond)
    }

    private var properties: [AudioStreamProperty] {
        [.dataFormat(format), .info(.title, title), .readyToProducePackets]
    }
}
