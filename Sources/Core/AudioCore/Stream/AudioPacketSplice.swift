// Where a song goes on with something that does not follow what came before, another stream of a chain of Ogg's, its
// first frames are what the decoder needs to get going, and are not heard. A packet table speaks of the song's two ends
// alone, and a packet's frame count can cut off its end, not its beginning. So those packets become one, which says
// what is to be dropped, and counts what is heard of it. One without packets is silence.
//
//   0   3, 0, "splice"
//   8   frames of the stream's decoded output before the first packet (u64), for decoders that round by position
//   16  frames to drop (u32)
//   20  packets: bytes (u32), frames (u32), then the bytes; to the end
//
// All numbers are little endian. No packet of these codecs can start with the same bytes: Opus (RFC 6716 section 3.2.5:
// it would hold no frames), Vorbis (Vorbis I section 4.3: marked as a header), ALAC (twelve bits that must be zero are
// not), MPEG audio, FLAC and AC-3 (they start with a mark of their own). Packets of AMR and IMA 4:1 are too short (an
// AMR frame of that type has 13 or 18 bytes; an IMA packet has 34 per channel, and a splice contains one). An AAC
// packet starts so with a chance of 1 in 2^64, and its length would also have to match the numbers in it. Packets of
// linear PCM and G.711 could hold anything: they are cut by bytes.

/// One packet that holds pre-roll and the first audible packets where the media does not follow from what came before.
///
/// A decoder resets, decodes the packets in the splice one after another, drops the first frames of the output, and
/// keeps as many of the rest as the packet's description says. A splice without packets is that many frames of silence.
public struct AudioPacketSplice {
    /// The most packets in one splice: 160 ms of Opus in its shortest packets.
    public static let largestPacketCount = 64
    /// Bytes in front of the first packet.
    public static let headerByteCount = 20
    /// Bytes in front of each packet.
    public static let packetHeaderByteCount = 8
    private static let magic: [UInt8] = [3, 0] + Array("splice".utf8)

    /// Frames of decoded output before the first packet in the stream it was taken from.
    public let streamFrame: Int64
    /// Frames to drop from the decoded output of the packets.
    public let droppedFrameCount: Int
    /// Offsets of the packets in the bytes they were read from, with their frame counts; empty for silence.
    public let packets: [AudioPacketDescription]

    /// Reads a splice.
    /// - Returns: nil for any other packet, for numbers that do not fit together or exceed ``Limits``, and for a splice
    ///   that contains another one.
    public init?(_ bytes: RawSpan) {
        func number(at offset: Int) -> Int {
            Int(UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let byteCount = bytes.byteCount
        guard byteCount >= Self.headerByteCount, byteCount <= Limits.packetByteCount, Self.isMarked(bytes, at: 0) else {
            return nil
        }
        let frame = UInt64(number(at: 12)) << 32 | UInt64(number(at: 8))
        guard frame <= UInt64(Int64.max) else { return nil }
        streamFrame = Int64(frame)
        droppedFrameCount = number(at: 16)
        var packets: [AudioPacketDescription] = []
        var (place, frameCount) = (Self.headerByteCount, 0)
        while place < byteCount {
            guard packets.count < Self.largestPacketCount, byteCount - place > Self.packetHeaderByteCount else {
                return nil
            }
            let (size, frames) = (number(at: place), number(at: place + 4))
            place += Self.packetHeaderByteCount
            guard (1...byteCount - place).contains(size), (1...Limits.packetFrameCount).contains(frames),
                size < Self.magic.count || !Self.isMarked(bytes, at: place)
            else { return nil }
            packets.append(AudioPacketDescription(startOffset: place, byteCount: size, frameCount: frames))
            place += size
            frameCount += frames
        }
        guard droppedFrameCount < max(1, frameCount), frameCount <= 2 * Limits.packetFrameCount else { return nil }
        self.packets = packets
    }

    private static func isMarked(_ bytes: RawSpan, at offset: Int) -> Bool {
        magic.indices.allSatisfy { bytes.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) == magic[$0] }
    }

    /// Returns the bytes of a splice.
    public static func bytes(
        dropping frameCount: Int, of packets: [(bytes: [UInt8], frameCount: Int)], streamFrame: Int64 = 0
    ) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).littleEndian) { Array($0) } }
        let place = withUnsafeBytes(of: UInt64(streamFrame).littleEndian) { Array($0) }
        return packets.reduce(into: magic + place + number(frameCount)) {
            $0 += number($1.bytes.count) + number($1.frameCount) + $1.bytes
        }
    }
}
