import AudioCore

/// The contents of an audio sample description: the codec, and how its packets become frames.
struct SampleEntry {
    /// How many frames a packet yields.
    enum FrameCounting: Equatable {
        case constant(Int)
        /// From the packet's time in the tables.
        case time
        /// From its bytes: the time in the tables may be shortened at the end, but the decoder outputs all.
        case opus
        case mpeg
        /// The last packet of Apple Lossless is shorter and gives its own count.
        case alac(Int)
    }

    /// The ways to decode it, the richest first.
    var formats: [AudioStreamFormat]
    var magicCookie: [UInt8] = []
    var channelLayout: AudioChannelLayout?
    var counting: FrameCounting
    /// Only for linear PCM and similar codecs.
    var blocks: BlockLayout?
    /// Set if a sample may be several packets.
    var bundle: SampleBundle?
    /// Bits per second; 0 if the file does not say.
    var averageBitRate = 0
    var decoderPrerollPacketCount = 0
    /// Frames of the decoder's that are not the song where no edit list says it: Opus' pre-skip.
    var primingFrameCount = 0

    var format: AudioStreamFormat { formats[0] }

    /// Reads the first description in an `stsd` box.
    /// - Parameter body: including version and flags.
    init(_ body: [UInt8]) throws(AudioStreamError) {
        let fields = try SampleEntryFields(body)
        self = try fields.entry()
        for format in formats {
            guard Limits.channelRange.contains(format.channelsPerFrame) else {
                throw .unsupportedDataFormat("\(format.channelsPerFrame) channels")
            }
            guard Limits.sampleRateRange.contains(format.sampleRate) else {
                throw .unsupportedDataFormat("a sample rate of \(Int64(saturating: format.sampleRate)) Hz")
            }
        }
        guard magicCookie.count <= Limits.magicCookieByteCount else {
            throw .unsupportedDataFormat(
                "\(format.codec.commonName) with a configuration of \(magicCookie.count) bytes")
        }
        if channelLayout?.labels.count != format.channelsPerFrame { channelLayout = nil }
    }

    init(
        _ formats: [AudioStreamFormat], counting: FrameCounting, cookie: [UInt8] = [], preroll: Int = 0
    ) {
        self.formats = formats
        self.counting = counting
        magicCookie = cookie
        decoderPrerollPacketCount = preroll
    }
}

/// The fields of a sample description (ISO/IEC 14496-12 section 12.2.3; QuickTime File Format, "Sound sample
/// description" versions 0 to 2) and the boxes in it.
struct SampleEntryFields {
    let body: [UInt8]
    var type: BoxType
    var channelCount: Int
    var bitsPerSample: Int
    var sampleRate: Double
    /// Flags of a version 2 description of linear PCM.
    var pcmFlags: UInt32?
    /// Bodies of the boxes inside, including those in QuickTime's `wave`; the first of each type.
    private var boxes: [BoxType: Range<Int>] = [:]

    private enum Offset {
        static let version = 16
        static let channelCount = 24
        static let bitsPerSample = 26
        static let sampleRate = 32
        static let end = 36
        static let endOfVersion1 = 52
        static let endOfVersion2 = 72
    }

    init(_ body: [UInt8]) throws(AudioStreamError) {
        self.body = body
        let bytes = body.span.bytes
        let start = 8
        guard body.count >= start + Offset.end else {
            throw .invalidFile("MPEG-4 sample description of \(body.count) bytes")
        }
        let end = min(body.count, start + Int(bytes.bigEndian32(at: start)))
        guard end - start >= Offset.end else {
            throw .invalidFile("MPEG-4 sample description of \(end - start) bytes")
        }
        type = BoxType(rawValue: bytes.bigEndian32(at: start + 4))
        channelCount = Int(bytes.bigEndian16(at: start + Offset.channelCount))
        bitsPerSample = Int(bytes.bigEndian16(at: start + Offset.bitsPerSample))
        sampleRate = Double(bytes.bigEndian32(at: start + Offset.sampleRate)) / 65_536
        var place = start + Offset.end
        // A version 1 description in a version 1 box is the standard's, without more fields; otherwise QuickTime's.
        switch (bytes.bigEndian16(at: start + Offset.version), bytes[0]) {
        case (1, 0):
            place = start + Offset.endOfVersion1
        case (2, _) where end - start >= Offset.endOfVersion2:
            place = start + Offset.endOfVersion2
            sampleRate = Double(bitPattern: bytes.bigEndian64(at: start + 40))
            channelCount = Int(bytes.bigEndian32(at: start + 48))
            bitsPerSample = Int(bytes.bigEndian32(at: start + 56))
            pcmFlags = bytes.bigEndian32(at: start + 60)
        default:
            break
        }
        if !sampleRate.isFinite { sampleRate = 0 }
        collectBoxes(place..<max(place, end))
    }

    private mutating func collectBoxes(_ range: Range<Int>) {
        var found = boxes
        forEachBox(in: body.span.bytes, range) { type, place in
            if found[type] == nil { found[type] = place }
            guard type == .wave else { return }
            forEachBox(in: body.span.bytes, place) { type, place in
                // `wave` has its own `mp4a`, which contains nothing.
                if found[type] == nil { found[type] = place }
            }
        }
        boxes = found
        if let srat = self.box(.srat), srat.count >= 8 { sampleRate = Double(srat.span.bytes.bigEndian32(at: 4)) }
    }

    /// Returns the body of a box inside, including version and flags.
    func box(_ type: BoxType) -> [UInt8]? {
        guard let range = boxes[type], range.lowerBound <= body.count else { return nil }
        return Array(body[range.clamped(to: 0..<body.count)])
    }

    func elementaryStream() -> ElementaryStreamDescriptor? {
        guard let esds = box(.esds) else { return nil }
        return ElementaryStreamDescriptor(esds.span.bytes, esds.indices)
    }
}
