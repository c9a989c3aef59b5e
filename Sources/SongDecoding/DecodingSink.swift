import AudioCore
import AudioDecoding
import AudioFileWriting
import SongReading

/// Decodes packets, and writes of their frames those that are heard.
///
/// A few bytes of a packet may stand for thousands of frames: what is decoded is written packet by packet, so that
/// memory does not depend on the file.
struct DecodingSink: ~Copyable, AudioStreamSink {
    /// Bytes that are gathered before they are written.
    private static let writeByteCount = 256 * 1024

    /// Frames that were heard.
    private(set) var frameCount: Int64 = 0
    private(set) var failure: SongFailure?
    private let path: String
    private var target: OutputTarget
    /// What was decoded and not yet written.
    private var bytes: [UInt8]
    private let decoder: any AudioPacketDecoder
    private let encoding: SampleEncoding
    private let speakers: SpeakerOrder
    /// Of integers that are passed through; nil where they are decoded.
    private let pcm: AudioStreamFormat?
    private var timeline: PacketTimeline
    private let end: FramePosition
    private var scratch: [Float] = []

    init(
        facts: SongFacts, format: AudioStreamFormat, samples: SampleFormat, speakers: SpeakerOrder,
        decoder: any AudioPacketDecoder, header: [UInt8], target: consuming OutputTarget
    ) {
        path = facts.path
        self.target = target
        bytes = header
        self.decoder = decoder
        encoding = SampleEncoding(samples, in: .wave)
        self.speakers = speakers
        pcm = encoding.passes(format) ? format : nil
        timeline = PacketTimeline(
            table: AudioPacketTableInfo(
                validFrameCount: facts.frameCount, primingFrameCount: facts.primingFrameCount, remainderFrameCount: 0))
        end = FramePosition(facts.frameCount)
    }

    mutating func streamDidParse(property: AudioStreamProperty) {}

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            let packet = packets[index]
            guard failure == nil else { return }
            let start = timeline.place(frameCount: packet.frameCount)
            let first = max(0, -start.index)
            let last = min(Int64(packet.frameCount), end - start)
            let heard = Int(min(first, Int64(packet.frameCount)))..<Int(max(last, min(first, Int64(packet.frameCount))))
            let packetBytes = data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
            do throws(SongFailure) {
                try take(packetBytes, frameCount: packet.frameCount, heard: heard)
                if bytes.count >= Self.writeByteCount { try write() }
            } catch {
                failure = error
            }
        }
    }

    /// Writes what is left, and `padding` zeros; the file gets its name then.
    mutating func finish(padding: Int) throws(SongFailure) {
        bytes += repeatElement(0, count: padding)
        try write()
        try target.commit()
    }

    private mutating func write() throws(SongFailure) {
        try target.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ packet: RawSpan, frameCount: Int, heard: Range<Int>) throws(SongFailure) {
        let start = bytes.count
        if let pcm, packet.byteCount == frameCount * pcm.bytesPerFrame {
            let range = heard.lowerBound * pcm.bytesPerFrame..<heard.upperBound * pcm.bytesPerFrame
            encoding.append(pcm: packet.extracting(range), of: pcm, to: &bytes)
        } else {
            let channels = decoder.channelCount
            do throws(AudioDecodingError) {
                try decode(packet, frameCount: frameCount)
            } catch {
                throw SongFailure(.unusable, "'\(path)' \(error.explanation)")
            }
            encoding.append(scratch[heard.lowerBound * channels..<heard.upperBound * channels], to: &bytes)
        }
        speakers.arrange(&bytes, from: start, bytesPerSample: encoding.samples.byteCount)
        self.frameCount += Int64(heard.count)
    }

    /// Into the front of ``scratch``.
    private mutating func decode(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        guard frameCount <= Limits.packetFrameCount else {
            throw .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
        }
        let count = frameCount * decoder.channelCount
        if scratch.count < count { scratch += repeatElement(0, count: count - scratch.count) }
        let decoder = decoder
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
    }
}
