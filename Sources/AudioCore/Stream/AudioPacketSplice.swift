// Where a second stream goes on with a song (Ogg's chains), its first frames are what its decoder needs to get going and
// are not heard. A packet table speaks of the song's two ends alone, and a packet's frame count can cut off its end, not
// its beginning. So those packets become one, which says what is to be dropped, and counts what is heard of it.
//
//   0   3, 0, "splice"    what no packet of Opus (RFC 6716 section 3.2.5) or Vorbis (Vorbis I section 4.3) begins with
//   8   frames to drop (u32)
//   12  packets: bytes (u32), frames (u32), then the bytes; to the end
//
// All numbers are little endian.

/// A packet that joins a further stream of Vorbis or Opus to the one before: a decoder forgets what came before, decodes
/// the packets in it one after another, and drops the first frames of what came out.
public struct AudioPacketSplice {
    /// Packets in one splice, at most; as long as 160 ms of Opus at its finest.
    public static let largestPacketCount = 64
    /// Bytes in front of the first packet.
    public static let headerByteCount = 12
    /// Bytes in front of each packet.
    public static let packetHeaderByteCount = 8
    private static let magic: [UInt8] = [3, 0] + Array("splice".utf8)

    /// Frames to drop of what comes out of the packets.
    public let droppedFrameCount: Int
    /// Where its packets lie in the bytes that it was read from, and how many frames each has; one at least.
    public let packets: [AudioPacketDescription]

    /// Reads one.
    /// - Returns: nil for any other packet, and for one whose numbers do not fit together or exceed ``Limits``.
    public init?(_ bytes: RawSpan) {
        func number(at offset: Int) -> Int {
            Int(UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let byteCount = bytes.byteCount
        guard byteCount > Self.headerByteCount, byteCount <= Limits.packetByteCount,
            Self.magic.indices.allSatisfy({
                bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == Self.magic[$0]
            })
        else { return nil }
        droppedFrameCount = number(at: 8)
        var packets: [AudioPacketDescription] = []
        var (place, frameCount) = (Self.headerByteCount, 0)
        while place < byteCount {
            guard packets.count < Self.largestPacketCount, byteCount - place > Self.packetHeaderByteCount else {
                return nil
            }
            let (size, frames) = (number(at: place), number(at: place + 4))
            place += Self.packetHeaderByteCount
            guard (1...byteCount - place).contains(size), (1...Limits.packetFrameCount).contains(frames) else {
                return nil
            }
            packets.append(AudioPacketDescription(startOffset: place, byteCount: size, frameCount: frames))
            place += size
            frameCount += frames
        }
        guard droppedFrameCount < frameCount, frameCount <= 2 * Limits.packetFrameCount else { return nil }
        self.packets = packets
    }

    /// Writes one.
    public static func bytes(dropping frameCount: Int, of packets: [(bytes: [UInt8], frameCount: Int)]) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).littleEndian) { Array($0) } }
        return packets.reduce(into: magic + number(frameCount)) {
            $0 += number($1.bytes.count) + number($1.frameCount) + $1.bytes
        }
    }
}
