import AudioCore
import AudioDecoding

// Bit-exactness from the middle. The library's synthesis filter keeps its history in a ring of 16 slots; each slot of
// 32 samples moves the ring by one, and the order in which a sample's products are added depends on where the ring
// stands. So the same packet rounds differently (in the last bit of a Float) if the number of slots decoded before it
// differs modulo 16. After a reset at a place that is not a multiple, silent packets are therefore decoded first, as
// many as bring the ring to where a full decode would have it. At most seven: a packet has 36, 18 or 12 slots.
//
// For the same reason a packet that cannot be decoded is replaced by a silent one instead of being left out.
//
// Padding in free format. The library counts one byte for it in all layers; layer I's slots have four (11172-3 section
// 2.4.2.3). So it is told that these packets are all as long as the padded ones, and gets them like that, without the
// mark of padding: what follows a packet's audio is nobody's.
//
// Mono and stereo. A song has one format, and files that were joined or stations may change between mono and stereo on
// the way. libmpg123 always gives two channels; a mono song gets their mean, which of a mono packet is exactly what was
// in it. The library's own mix is not used: in layer III it adds spectra, which is wrong where the channels have windows
// of different lengths, and in layers I and II it leaves the right channel out.

/// MPEG-1, 2 and 2.5 audio of layers I to III, by libmpg123: one packet in, exactly its frames out.
///
/// A packet that is not one whole MPEG frame, or is said to have more frames than it has, becomes silence and is
/// counted. A layer III packet whose bit reservoir was not seen since the last reset becomes silence too, which is no
/// damage. A mono packet of a stereo stream sounds on both channels, a stereo packet of a mono stream is mixed down. A
/// packet of another version, layer or sample rate than the stream's throws `formatChanged`. Not real-time safe; one
/// thread at a time.
public final class MPEGDecoder: AudioPacketDecoder {
    public static let codecs: [Codec] = [.mpegLayer1, .mpegLayer2, .mpegLayer3]

    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0

    private let codec: Codec
    private var handle: MPG123Handle
    /// Of a free-format stream the size that ``handle`` was opened with.
    private var freeFormatByteCount: Int?
    private var reservoir = BitReservoir()
    /// The header of the first good packet in the last one's channel mode: what a silent packet is made from.
    private var reference: MPEGFrameHeader?
    /// Where the next packet lies, until the packet after a reset has come.
    private var streamFrameOfStart: Int64? = 0
    private var packet: [UInt8] = []

    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        guard Self.codecs.contains(format.codec) else { throw .unsupportedCodec(format.codec) }
        guard (1...2).contains(format.channelsPerFrame) else {
            throw .unsupportedFormat("MPEG audio of \(format.channelsPerFrame) channels")
        }
        guard Self.sampleRates.contains(format.sampleRate) else {
            throw .unsupportedFormat("MPEG audio at \(format.sampleRate) Hz")
        }
        codec = format.codec
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
        handle = try MPG123Handle(sampleRate: Int(format.sampleRate), freeFormatByteCount: nil)
        packet.reserveCapacity(4 * 1024)
    }

    private static let sampleRates: Set<Double> = [
        8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
    ]

    public func decode(
        packet bytes: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: bytes, frameCount: frameCount, output: output)
        guard let header = try header(of: bytes), (1...header.frameCount).contains(frameCount) else {
            return try replaceDamaged(frameCount: frameCount, into: &output)
        }
        if reference?.isMono != header.isMono { reference = header }
        try openFreeFormat(header, packetByteCount: bytes.byteCount)
        try alignStart(header, byteCount: bytes.byteCount)
        packet.removeAll(keepingCapacity: true)
        bytes.withUnsafeBytes { packet.append(contentsOf: $0) }
        _ = reservoir.pass(&packet, header: header)
        guard try decodePacket(header, frameCount: frameCount, into: &output) else {
            damagedPacketCount += 1
            reservoir.reset()
            try handle.reopen()
            return
        }
    }

    public func reset(streamFrame: Int64) {
        streamFrameOfStart = streamFrame
        reservoir.reset()
    }

    // MARK: Private

    /// The header of a packet that is one whole MPEG frame of this stream; nil if it is none.
    private func header(of bytes: RawSpan) throws(AudioDecodingError) -> MPEGFrameHeader? {
        guard let header = MPEGFrameHeader(bytes, at: 0) else { return nil }
        guard header.codec == codec, Double(header.sampleRate) == sampleRate else { throw .formatChanged }
        let smallest =
            MPEGFrameHeader.byteCount + (header.hasCRC ? MPEGFrameHeader.crcByteCount : 0) + header.sideInfoByteCount
            + header.paddingByteCount
        guard bytes.byteCount > smallest else { return nil }
        return header.isFreeFormat || header.packetByteCount() == bytes.byteCount ? header : nil
    }

    /// The library must be told the size of free-format packets before it is fed the first.
    private func openFreeFormat(_ header: MPEGFrameHeader, packetByteCount: Int) throws(AudioDecodingError) {
        guard header.isFreeFormat else { return }
        let size = packetByteCount - header.paddingByteCount
        guard size != freeFormatByteCount else { return }
        let padding = header.layer == 1 ? Self.layer1SlotByteCount : 0
        handle = try MPG123Handle(sampleRate: Int(sampleRate), freeFormatByteCount: size + padding)
        freeFormatByteCount = size
        reservoir.reset()
    }

    /// After a reset: an empty decoder, its ring where it would be had everything before been decoded.
    private func alignStart(_ header: MPEGFrameHeader, byteCount: Int) throws(AudioDecodingError) {
        guard let streamFrame = streamFrameOfStart else { return }
        streamFrameOfStart = nil
        try handle.reopen()
        let packetsBefore = Int(streamFrame / Int64(header.frameCount) % 8)
        for _ in 0..<max(0, packetsBefore) {
            makeSilentPacket(header, byteCount: byteCount)
            try feedPacket { _ in }
        }
    }

    /// Zeros decode to silence in all layers: no bits allocated (I, II), no main data (III).
    private func makeSilentPacket(_ header: MPEGFrameHeader, byteCount: Int) {
        packet.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: header.word.bigEndian) { packet.append(contentsOf: $0) }
        packet.append(contentsOf: repeatElement(0, count: byteCount - packet.count))
    }

    /// The library's answer to a packet of silence, so that what sounded fades as it should; before the first good
    /// packet, and for a frame count that is not the stream's, plain silence.
    private func replaceDamaged(
        frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        damagedPacketCount += 1
        reservoir.reset()
        for index in 0..<(frameCount * channelCount) { output[index] = 0 }
        guard let reference, (1...reference.frameCount).contains(frameCount), streamFrameOfStart == nil else { return }
        let byteCount = reference.packetByteCount(freeFormatByteCount: freeFormatByteCount ?? 0)
        makeSilentPacket(reference, byteCount: byteCount)
        guard try decodePacket(reference, frameCount: frameCount, into: &output) else {
            return try handle.reopen()
        }
    }

    /// Decodes ``packet``, and gives its first frames; silence and false if it did not make as many as its header says.
    private func decodePacket(
        _ header: MPEGFrameHeader, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) -> Bool {
        let sampleCount = frameCount * channelCount
        let wholeCount = header.frameCount * MPG123Handle.channelCount
        let isMono = channelCount == 1
        let handled = try output.withUnsafeMutableBufferPointer { (target) throws(AudioDecodingError) in
            try feedPacket { samples in
                guard let samples, samples.count == wholeCount else { return false }
                for index in 0..<sampleCount {
                    let sample = isMono ? (samples[2 * index] + samples[2 * index + 1]) / 2 : samples[index]
                    target[index] = sample.isFinite ? sample : 0
                }
                return true
            }
        }
        guard !handled else { return true }
        for index in 0..<sampleCount { output[index] = 0 }
        return false
    }

    private static let layer1SlotByteCount = 4
    /// In the third byte.
    private static let paddingBit: UInt8 = 2

    private func feedPacket<R>(_ body: (UnsafeBufferPointer<Float>?) -> R) throws(AudioDecodingError) -> R {
        if freeFormatByteCount != nil, codec == .mpegLayer1 {
            if packet[2] & Self.paddingBit == 0 {
                packet.append(contentsOf: repeatElement(0, count: Self.layer1SlotByteCount))
            }
            packet[2] &= ~Self.paddingBit
        }
        return try packet.withUnsafeBufferPointer { (bytes) throws(AudioDecodingError) in
            try handle.decode(UnsafeRawBufferPointer(bytes), body)
        }
    }
}
