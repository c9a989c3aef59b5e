import AudioCore
import AudioDecoding
import SongReading

/// Decodes packets, and keeps of their frames those that are heard, as bytes of a WAVE file.
struct DecodingSink: AudioStreamSink {
    /// What was decoded and not yet written.
    var bytes: [UInt8] = []
    /// Frames that were kept.
    private(set) var frameCount: Int64 = 0
    private(set) var failure: AudioDecodingError?
    private let decoder: any AudioPacketDecoder
    private let samples: SampleFormat
    private let speakers: SpeakerOrder
    /// Of integers that are passed through; nil where they are decoded.
    private let pcm: AudioStreamFormat?
    private var timeline: PacketTimeline
    private let end: FramePosition
    private var scratch: [Float] = []

    init(
        facts: SongFacts, format: AudioStreamFormat, samples: SampleFormat, speakers: SpeakerOrder,
        decoder: any AudioPacketDecoder
    ) {
        self.decoder = decoder
        self.samples = samples
        self.speakers = speakers
        pcm = format.codec == .linearPCM && !samples.isFloat ? format : nil
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
            take(packetBytes, frameCount: packet.frameCount, heard: heard)
        }
    }

    private mutating func take(_ packet: RawSpan, frameCount: Int, heard: Range<Int>) {
        let start = bytes.count
        if let pcm, packet.byteCount == frameCount * pcm.bytesPerFrame {
            let range = heard.lowerBound * pcm.bytesPerFrame..<heard.upperBound * pcm.bytesPerFrame
            samples.append(pcm: packet.extracting(range), of: pcm, to: &bytes)
        } else {
            guard frameCount <= Limits.packetFrameCount else {
                failure = .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
                return
            }
            let decoder = decoder
            let channels = decoder.channelCount
            let count = frameCount * channels
            if scratch.count < count { scratch += repeatElement(0, count: count - scratch.count) }
            do throws(AudioDecodingError) {
                var output = scratch.mutableSpan
                try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
            } catch {
                failure = error
                return
            }
            samples.append(scratch[heard.lowerBound * channels..<heard.upperBound * channels], to: &bytes)
        }
        speakers.arrange(&bytes, from: start, bytesPerSample: samples.byteCount)
        self.frameCount += Int64(heard.count)
    }
}
