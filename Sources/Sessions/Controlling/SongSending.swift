import AudioCore
import NIOCore
import WireProtocol

/// The sending of a file to a broadcaster, as far as the broadcaster's credit goes.
struct SongSending {
    let offer: SongOffer
    let path: String
    private var sentCount: UInt64 = 0
    private var allowedCount: UInt64 = 0
    /// When bytes were last sent, or credit last came.
    private(set) var advanced: HostTime

    init(_ offer: SongOffer, path: String, _ now: HostTime) {
        self.offer = offer
        self.path = path
        advanced = now
    }

    /// Whether nothing may be sent now.
    var isIdle: Bool { sentCount >= allowedCount }

    /// How much to read next.
    var wantedByteCount: Int { Int(min(allowedCount - sentCount, 64 * 1024)) }

    mutating func advance(upTo count: UInt64, _ now: HostTime) {
        allowedCount = max(allowedCount, min(count, offer.byteCount))
        advanced = now
    }

    /// Returns the messages that carry these bytes.
    mutating func send(_ bytes: ByteBuffer, _ now: HostTime) -> [ByteBuffer] {
        var bytes = bytes
        var messages: [ByteBuffer] = []
        sentCount += UInt64(bytes.readableBytes)
        advanced = now
        while let piece = bytes.readSlice(length: min(bytes.readableBytes, WireLimits.songBytesCount)),
            piece.readableBytes > 0
        {
            messages.append(WireEncoder.songBytes(SongBytes(id: offer.id, bytes: piece)))
        }
        return messages
    }
}
