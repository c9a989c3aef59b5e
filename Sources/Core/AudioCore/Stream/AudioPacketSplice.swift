// Where a song goes on with something that does not follow what came before, another stream of a chain of Ogg's, its
// first frames are what the decoder needs to get going, and are not heard. A packet table speaks of the song's two ends
// alone, and a packet's frame count can cut off its end, not its beginning. So those packets become one, which says what
// is to be dropped, and counts what is heard of it. One without packets is silence.
//
//   0   3, 0, "splice"
//   8   frames of the stream's decoded output before the first packet (u64), for decoders that round by the place
//   16  frames to drop (u32)
//   20  packets: bytes (u32), frames (u32), then the bytes; to the end
//
// All numbers are little endian. What else could begin so? No packet of Opus (RFC 6716 section 3.2.5: no frames in it),
// Vorbis (Vorbis I section 4.3: a header's mark), ALAC (twelve bits that must be zero are not), MPEG audio, FLAC or
// AC-3 (they begin with a mark of their own); none of AMR or IMA 4:1 is as long (a frame of that type has 13 or 18
// bytes; an IMA packet has 34 a channel, and is one of those in the splice). A packet of AAC could, one of 2^64 that are
// chance; but its length would also have to be the sum of numbers in it. Packets of linear PCM and G.711 could hold
// anything: they are cut by bytes.

/// A packet that goes on where the one before did not lead: a decoder forgets what came before, decodes the packets in
/// it one after another, and drops the first frames of what came out. Of the rest it gives as many as its description
/// says. One that has no packets is as many frames of silence.
public struct AudioPacketSplice {
    /// Packets in one splice, at most; as long as 160 ms of Opus at its finest.
    public static let largestPacketCount = 64
    /// Bytes in front of the first packet.
    public static let headerByteCount = 20
    /// Bytes in front of each packet.
    public static let packetHeaderByteCount = 8
    private static let magic: [UInt8] = [3, 0] + Array("splice".utf8)

    /// Frames of decoded output that lie before the first packet in the stream that it was taken from.
    public let streamFrame: Int64
    /// Frames to drop of what comes out of the packets.
    public let droppedFrameCount: Int
    /// Where its packets lie in the bytes that it was read from, and how many frames each has; none for silence.
    public let packets: [AudioPacketDescription]

    /// Reads one.
    /// - Returns: nil for any other packet, for one whose numbers do not fit together or exceed ``Limits``, and for one
    ///   that holds another.
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

    /// There are as many bytes.
    private static func isMarked(_ bytes: RawSpan, at offset: Int) -> Bool {
        magic.indices.allSatisfy { bytes.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) == magic[$0] }
    }

    /// Writes one.
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
