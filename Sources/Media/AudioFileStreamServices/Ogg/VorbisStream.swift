import AudioCore

// Vorbis I: three header packets (section 4.2), then audio packets. An audio packet begins with a zero bit and its
// mode number, which selects a short or long block. Decoding yields a quarter of its block and of the previous one
// (section 4.3.8); the first packet yields nothing, but is counted as if a block of its own size came before it.
//
// The modes are at the end of the setup header, after complicated codebooks, floors and residues. They are read
// backwards from there: the framing bit is the last bit set, each mode before it has 41 bits of which 32 are zeros
// (section 4.2.4), and before the first mode there are 6 bits with their number.

/// The parameters of a Vorbis stream that determine the lengths of its packets.
struct VorbisStream: Equatable {
    static let identificationByteCount = 30

    var channelCount: Int
    var sampleRate: Int
    /// Nil if the encoder did not give it.
    var nominalBitRate: Int?
    private(set) var shortBlock: Int
    private(set) var longBlock: Int
    /// Whether each mode's block is long.
    private(set) var modes: [Bool] = []
    private var modeMask: UInt8 = 0

    /// - Parameter packet: the identification header (section 4.2.2).
    init(identification packet: RawSpan) throws(AudioStreamError) {
        guard packet.byteCount >= Self.identificationByteCount, packet.has("\u{1}vorbis", at: 0),
            packet.littleEndian32(at: 7) == 0
        else { throw .invalidFile("Vorbis's identification header is not one") }
        channelCount = Int(packet[11])
        sampleRate = Int(packet.littleEndian32(at: 12))
        let bitRate = Int(Int32(bitPattern: packet.littleEndian32(at: 20)))
        nominalBitRate = bitRate > 0 ? bitRate : nil
        let (short, long) = (packet[28] & 15, packet[28] >> 4)
        guard (6...13).contains(short), (short...13).contains(long) else {
            throw .invalidFile("Vorbis blocks of 2^\(short) and 2^\(long) frames")
        }
        shortBlock = 1 << Int(short)
        longBlock = 1 << Int(long)
        try OggFormatLimits.check(channels: channelCount, sampleRate: sampleRate)
    }

    /// - Parameter packet: the setup header.
    mutating func takeSetup(_ packet: RawSpan) throws(AudioStreamError) {
        guard packet.has("\u{5}vorbis", at: 0), let modes = Self.modes(packet) else {
            throw .invalidFile("Vorbis's setup header is damaged")
        }
        self.modes = modes
        let bits = UInt8.bitWidth - UInt8(modes.count - 1).leadingZeroBitCount
        modeMask = UInt8((1 << bits) - 1)
    }

    /// Takes over the modes of another stream, as if both had the same setup header.
    mutating func takeModes(of other: VorbisStream) {
        modes = other.modes
        modeMask = other.modeMask
        nominalBitRate = other.nominalBitRate
    }

    private static func modes(_ packet: RawSpan) -> [Bool]? {
        var end = packet.byteCount
        while end > 7, packet[end - 1] == 0 { end -= 1 }
        guard end > 7 else { return nil }
        // Bits are packed from the least significant on (section 2.1.4).
        func bits(_ count: Int, at place: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(packet[(place + $1) >> 3] >> UInt8((place + $1) & 7) & 1) << $1 }
        }
        var place = end * 8 - packet[end - 1].leadingZeroBitCount - 1
        var flags: [Bool] = []
        var found: [Bool]?
        // Mapping 8, transform type 16, window type 16, block flag 1.
        while flags.count < 64, place - 41 - 6 >= 7 * 8 {
            guard bits(8, at: place - 8) < 64, bits(32, at: place - 40) == 0 else { break }
            place -= 41
            flags.append(bits(1, at: place) == 1)
            // Data before the modes may look like one more mode by chance: the longest run with a matching count wins.
            if bits(6, at: place - 6) + 1 == flags.count { found = flags.reversed() }
        }
        return found
    }

    /// Returns the block size of an audio packet in frames; nil for other packets.
    func block(_ packet: RawSpan) -> Int? {
        guard packet.byteCount > 0, packet[0] & 1 == 0 else { return nil }
        let mode = Int(packet[0] >> 1 & modeMask)
        guard mode < modes.count else { return nil }
        return modes[mode] ? longBlock : shortBlock
    }

    var format: AudioStreamFormat {
        AudioStreamFormat(codec: .vorbis, sampleRate: Double(sampleRate), channelsPerFrame: channelCount)
    }

    /// Returns the three headers as in Matroska's CodecPrivate: 2, the lengths of the first two in Xiph lacing, and the
    /// headers. A decoder does not need long comments: empty ones replace them.
    static func cookie(identification: [UInt8], comments: [UInt8]?, setup: [UInt8]) -> [UInt8] {
        let comments = comments ?? Array("\u{3}vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
        var cookie: [UInt8] = [2]
        for header in [identification, comments] {
            cookie += [UInt8](repeating: 255, count: header.count / 255) + [UInt8(header.count % 255)]
        }
        return cookie + identification + comments + setup
    }
}

enum OggFormatLimits {
    static func check(channels: Int, sampleRate: Int) throws(AudioStreamError) {
        guard Limits.channelRange.contains(channels) else { throw .unsupportedDataFormat("\(channels) channels") }
        guard Limits.sampleRateRange.contains(Double(sampleRate)) else {
            throw .unsupportedDataFormat("a sample rate of \(sampleRate) Hz")
        }
    }
}
