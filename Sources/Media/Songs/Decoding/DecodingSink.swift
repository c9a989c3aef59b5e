import AudioCore
import AudioDecoding
import AudioFileWriting

/// Decodes packets, and writes their audible frames.
///
/// A few bytes of a packet may stand for thousands of frames. Frames are written packet by packet, so that memory does
/// not depend on the file.
struct DecodingSink: ~Copyable, AudioStreamSink {
    /// Bytes that are buffered before they are written.
    private static let writeByteCount = 256 * 1024

    /// Audible frames of all songs.
    private(set) var frameCount: Int64 = 0
    private(set) var failure: SongFailure?
    private let path: String
    private let decoders: DecoderCatalog
    private var target: OutputTarget
    /// Decoded bytes that are not written yet.
    private var bytes: [UInt8]
    private let paddingByteCount: Int
    private let encoding: SampleEncoding
    private let sampleRate: Double
    private let channelCount: Int
    /// Packets of finished songs that became silence.
    private var olderDamagedPacketCount = 0
    private var scratch: [Float] = []
    private var integerScratch: [Int32] = []

    // State of the current song.
    private var summary = AudioStreamSummary()
    private var decoder: any AudioPacketDecoder
    private var speakers: SpeakerOrder
    /// The format of integers that pass unchanged; nil if they are decoded.
    private var pcm: AudioStreamFormat?
    private var timeline = PacketTimeline()
    private var end = FramePosition.zero
    private var songFrameCount: Int64 = 0

    /// - Parameter target: opens the output, once there is a decoder.
    /// - Throws: if there is no decoder for the song, or the output cannot be written.
    init(
        _ plan: DecodingPlan, path: String, decoders: DecoderCatalog,
        target: () throws(SongFailure) -> OutputTarget
    ) throws(SongFailure) {
        let summary = plan.first?.summary ?? AudioStreamSummary()
        let decoder = try Self.decoder(for: summary, decoders, path)
        self.target = try target()
        self.path = path
        self.decoders = decoders
        self.decoder = decoder
        (sampleRate, channelCount) = (decoder.sampleRate, decoder.channelCount)
        speakers = SpeakerOrder(
            summary.channelLayout, channelCount: decoder.channelCount, codec: summary.format?.codec ?? .linearPCM)
        let header = WAVEHeader(
            sampleRate: decoder.sampleRate, channelCount: decoder.channelCount, samples: plan.samples,
            speakerMask: speakers.mask, frameCount: plan.frameCount)
        (bytes, paddingByteCount) = (header.bytes, header.paddingByteCount)
        encoding = SampleEncoding(plan.samples, in: .wave)
    }

    private static func decoder(
        for summary: AudioStreamSummary, _ decoders: DecoderCatalog, _ path: String
    ) throws(SongFailure) -> any AudioPacketDecoder {
        guard let format = summary.format else { throw SongFailure(.unusable, "'\(path)' holds no audio") }
        do throws(AudioDecodingError) {
            return try decoders.makeDecoder(for: format, magicCookie: summary.magicCookie)
        } catch {
            throw SongFailure(.unusable, "'\(path)' \(error.explanation)")
        }
    }

    var damagedPacketCount: Int { olderDamagedPacketCount + decoder.damagedPacketCount }

    /// Begins the next song.
    mutating func begin(_ song: DecodingPlan.Song) {
        summary = AudioStreamSummary()
        timeline = PacketTimeline(
            table: AudioPacketTableInfo(
                validFrameCount: song.frameCount, primingFrameCount: song.primingFrameCount, remainderFrameCount: 0))
        end = FramePosition(song.frameCount)
        songFrameCount = 0
    }

    /// Whether the song had as many audible frames as planned.
    var isSongWhole: Bool { songFrameCount == end.index }

    mutating func streamDidParse(property: AudioStreamProperty) {
        summary.note(property)
        guard property == .readyToProducePackets, end > .zero, failure == nil, let format = summary.format else {
            return
        }
        pcm = encoding.passes(format) ? format : nil
        // The first song has its decoder already.
        guard frameCount > 0 else { return }
        olderDamagedPacketCount += decoder.damagedPacketCount
        do throws(SongFailure) {
            decoder = try Self.decoder(for: summary, decoders, path)
        } catch {
            failure = error
            return
        }
        speakers = SpeakerOrder(summary.channelLayout, channelCount: channelCount, codec: format.codec)
        guard decoder.sampleRate == sampleRate, decoder.channelCount == channelCount else {
            failure = SongFailure(.unusable, "'\(path)' changed while it was read")
            return
        }
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            let packet = packets[index]
            guard failure == nil, end > .zero else { return }
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

    /// Writes the rest; the file then gets its final name.
    mutating func finish() throws(SongFailure) {
        bytes += repeatElement(0, count: paddingByteCount)
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
            let samples = heard.lowerBound * channelCount..<heard.upperBound * channelCount
            do throws(AudioDecodingError) {
                if decoder.outputsIntegers, !encoding.samples.isFloat {
                    try decodeIntegers(packet, frameCount: frameCount)
                    encoding.append(integers: integerScratch[samples], to: &bytes)
                } else {
                    try decode(packet, frameCount: frameCount)
                    encoding.append(scratch[samples], to: &bytes)
                }
            } catch {
                throw SongFailure(.unusable, "'\(path)' \(error.explanation)")
            }
        }
        speakers.arrange(&bytes, from: start, bytesPerSample: encoding.samples.byteCount)
        self.frameCount += Int64(heard.count)
        songFrameCount += Int64(heard.count)
    }

    /// Decodes into the front of ``scratch``.
    private mutating func decode(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        try Self.makeRoom(in: &scratch, for: packet, frameCount: frameCount, channelCount, silence: 0)
        let decoder = decoder
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
    }

    /// Decodes into the front of ``integerScratch``.
    private mutating func decodeIntegers(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        try Self.makeRoom(in: &integerScratch, for: packet, frameCount: frameCount, channelCount, silence: 0)
        let decoder = decoder
        var output = integerScratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
    }

    private static func makeRoom<Sample>(
        in scratch: inout [Sample], for packet: RawSpan, frameCount: Int, _ channelCount: Int, silence: Sample
    ) throws(AudioDecodingError) {
        guard frameCount <= Limits.packetFrameCount else {
            throw .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
        }
        let count = frameCount * channelCount
        if scratch.count < count { scratch += repeatElement(silence, count: count - scratch.count) }
    }
}
