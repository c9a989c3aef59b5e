import AudioCore
import AudioDecoding

// Bit-exactness from the middle. The library's synthesis filter keeps its history in a ring of 16 slots. Each slot of
// 32 samples advances the ring by one, and the ring's position determines the order in which a sample's products are
// added. So the same packet rounds differently (in the last bit of a Float) if the number of slots decoded before it
// differs modulo 16. After a reset at a place that is not a multiple, as many silent packets are therefore decoded
// first as bring the ring to where a full decode would have it. At most seven: a packet has 36, 18 or 12 slots.
//
// For the same reason a packet that cannot be decoded is replaced by a silent one instead of being left out.
//
// Padding in free format. The library counts one byte for it in all layers; layer I's slots have four (11172-3 section
// 2.4.2.3). So the library is told that all layer I packets have the padded size, and gets them in that size without
// the padding bit: decoders ignore what follows a packet's audio.
//
// Mono and stereo. A song has one format, but joined files and stations may change between mono and stereo. libmpg123
// always outputs two channels; a mono song gets their mean, which for a mono packet is exactly its content. The
// library's own mix is not used: in layer III it adds spectra, which is wrong if the channels have windows of different
// lengths, and in layers I and II it leaves out the right channel.

/// Decodes MPEG-1, 2 and 2.5 audio of layers I to III with libmpg123: one packet in, exactly its frames out.
///
/// A packet that is not one whole MPEG frame, or has fewer frames than its description says, becomes silence and is
/// counted as damaged. A layer III packet whose bit reservoir was not seen since the last reset becomes silence, too,
/// but is not damage. A mono packet of a stereo stream sounds on both channels; a stereo packet of a mono stream is
/// mixed down. A packet of another version, layer or sample rate throws `formatChanged`. Not real-time safe; one thread
/// at a time.
public final class MPEGDecoder: AudioPacketDecoder {
    public static let codecs: [Codec] = [.mpegLayer1, .mpegLayer2, .mpegLayer3]

    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0

    private let codec: Codec
    private var handle: MPG123Handle
    /// The packet size that ``handle`` was opened with, in a free-format stream.
    private var freeFormatByteCount: Int?
    private var reservoir = BitReservoir()
    /// The first good header in the current channel mode, from which silent packets are made.
    private var reference: MPEGFrameHeader?
    /// The place of the next packet after a reset; nil once that packet has come.
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

    /// Returns the header of a packet that is one whole MPEG frame of this stream; nil for other packets.
    private func header(of bytes: RawSpan) throws(AudioDecodingError) -> MPEGFrameHeader? {
        guard let header = MPEGFrameHeader(bytes, at: 0) else { return nil }
        guard header.codec == codec, Double(header.sampleRate) == sampleRate else { throw .formatChanged }
        let smallest =
            MPEGFrameHeader.byteCount + (header.hasCRC ? MPEGFrameHeader.crcByteCount : 0) + header.sideInfoByteCount
            + header.paddingByteCount
        guard bytes.byteCount > smallest else { return nil }
        return header.isFreeFormat || header.packetByteCount() == bytes.byteCount ? header : nil
    }

    /// Tells the library the size of free-format packets, before the first is fed.
    private func openFreeFormat(_ header: MPEGFrameHeader, packetByteCount: Int) throws(AudioDecodingError) {
        guard header.isFreeFormat else { return }
        let size = packetByteCount - header.paddingByteCount
        guard size != freeFormatByteCount else { return }
        let padding = header.layer == 1 ? Self.layer1SlotByteCount : 0
        handle = try MPG123Handle(sampleRate: Int(sampleRate), freeFormatByteCount: size + padding)
        freeFormatByteCount = size
        reservoir.reset()
    }

    /// Empties the decoder after a reset, and turns its ring to where a full decode would have it.
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

    /// Makes a packet of zeros, which decode to silence in all layers: no bits allocated (I, II), no main data (III).
    private func makeSilentPacket(_ header: MPEGFrameHeader, byteCount: Int) {
        packet.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: header.word.bigEndian) { packet.append(contentsOf: $0) }
        packet.append(contentsOf: repeatElement(0, count: byteCount - packet.count))
    }

    /// Outputs what the library makes of a silent packet, so that previous sound decays as it should; plain silence
    /// before the first good packet, and for a frame count that is not the stream's.
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

    /// Decodes ``packet`` and outputs its first frames; silence and false if it yields fewer than its header says.
    private func decodePacket(
        _ header: MPEGFrameHeader, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) -> Bool {
        let sampleCount = frameCount * channelCount
        let wholeCount = header.frameCount * MPG123Handle.channelCount
        let isMono = channelCount == 1
        let handled = try output.withUnsafeMutableBufferPointer { (target) throws(AudioDecodingError) in
            try feedPacket { samples in
                guard let samples, samples.count == wholeCount else { return false }
                if isMono {
                    for index in 0..<sampleCount {
                        target[index] = ((samples[2 * index] + samples[2 * index + 1]) / 2).orSilence
                    }
                } else {
                    for index in 0..<sampleCount { target[index] = samples[index].orSilence }
                }
                return true
            }
        }
        guard !handled else { return true }
        for index in 0..<sampleCount { output[index] = 0 }
        return false
    }

    private static let layer1SlotByteCount = 4
    /// The padding bit, in the third byte.
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

extension Float {
    /// This sample; silence if it is none.
    fileprivate var orSilence: Float { isFinite ? self : 0 }
}
