import AudioCore

/// A sink that keeps what it is told as properties and a digest of the packets, and checks the rules for both.
struct CheckingSink: AudioStreamSink {
    private(set) var properties: [AudioStreamProperty] = []
    private(set) var lyrics: [AudioStreamLyrics] = []
    private(set) var summary = AudioStreamSummary()
    private(set) var packetCount = 0
    private(set) var byteCount = 0
    private(set) var frameCount: Int64 = 0
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The first rule that was broken.
    private(set) var violation: String?
    /// Keeps packets for a decoder, up to so many bytes.
    var keptByteLimit = 0
    private(set) var kept: [(bytes: [UInt8], frameCount: Int)] = []
    private var isReady = false

    mutating func streamDidParse(property: AudioStreamProperty) {
        properties.append(property)
        summary.note(property)
        switch property {
        case .readyToProducePackets:
            if isReady { fail("ready twice") }
            isReady = true
        case .dataFormat(let format):
            if !Limits.sampleRateRange.contains(format.sampleRate) { fail("rate \(format.sampleRate)") }
            if !Limits.channelRange.contains(format.channelsPerFrame) { fail("channels \(format.channelsPerFrame)") }
        case .packetTableInfo(let table):
            if (table.validFrameCount ?? 0) < 0 || table.primingFrameCount < 0 || table.remainderFrameCount < 0 {
                fail("table \(table)")
            }
        case .magicCookie(let cookie):
            if cookie.count > Limits.magicCookieByteCount { fail("cookie of \(cookie.count) bytes") }
        case .info(_, let text):
            if text.utf8.count > Limits.titleByteCount { fail("text of \(text.utf8.count) bytes") }
        case .artwork(let picture):
            if picture.count > Limits.artworkByteCount { fail("artwork of \(picture.count) bytes") }
        case .audioDataByteCount(let count), .audioDataPacketCount(let count), .dataOffset(let count):
            if count < 0 { fail("\(property)") }
        case .bitRate(let rate):
            if rate <= 0 { fail("bit rate \(rate)") }
        default: break
        }
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        if !isReady { fail("packets before ready") }
        var end = 0
        for index in descriptions.indices {
            let packet = descriptions[index]
            guard packet.startOffset >= end, packet.byteCount > 0, packet.frameCount > 0,
                packet.byteCount <= Limits.packetByteCount, packet.frameCount <= Limits.packetFrameCount,
                packet.startOffset + packet.byteCount <= data.byteCount
            else { return fail("packet \(packetCount) is \(packet) of \(data.byteCount) bytes") }
            end = packet.startOffset + packet.byteCount
            take(packet, data)
        }
    }

    mutating func streamDidParse(lyrics words: AudioStreamLyrics) {
        lyrics.append(words)
        let byteCount =
            switch words {
            case .text(let text): text.utf8.count
            case .timed(let lines): lines.reduce(0) { $0 + $1.text.utf8.count }
            }
        // What is no UTF-8 becomes longer.
        if byteCount > 3 * Limits.lyricsByteCount { fail("lyrics of \(byteCount) bytes") }
        if case .timed(let lines) = words, lines.contains(where: { $0.time < .zero }) { fail("lyrics before the song") }
    }

    private mutating func take(_ packet: AudioPacketDescription, _ data: RawSpan) {
        packetCount += 1
        byteCount += packet.byteCount
        frameCount += Int64(packet.frameCount)
        mix(UInt64(packet.byteCount) << 32 | UInt64(packet.frameCount))
        let range = packet.startOffset..<packet.startOffset + packet.byteCount
        data.extracting(range).withUnsafeBytes { for byte in $0 { mix(UInt64(byte)) } }
        guard byteCount <= keptByteLimit else { return }
        kept.append((data.extracting(range).withUnsafeBytes { Array($0) }, packet.frameCount))
    }

    private mutating func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01B3 }

    private mutating func fail(_ text: String) { violation = violation ?? text }

    /// In what another parse of the same bytes differs; nil if in nothing.
    func difference(from other: CheckingSink) -> String? {
        if properties != other.properties {
            return "properties \(properties.count), \(other.properties.count): \(properties) | \(other.properties)"
        }
        if lyrics != other.lyrics { return "lyrics \(lyrics) | \(other.lyrics)" }
        if packetCount != other.packetCount { return "packets \(packetCount), \(other.packetCount)" }
        return digest == other.digest ? nil : "packets hold other bytes or frames"
    }
}
