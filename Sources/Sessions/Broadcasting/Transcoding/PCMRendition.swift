import AudioCore
import NIOCore
import WireProtocol

// Why listeners that decode for themselves and those that are sent PCM hear the same frames at the same instants:
//
// A PCM frame lies where the frame of the song lies that it was decoded from, so both share one epoch, one anchor and
// one end. Priming is left out: PCM begins at frame 0. Whoever needs PCM in the middle of the song has it from the
// message that is due now on; the decoder begins as much earlier as its pre-roll asks for, so that the first frame is
// exact. PCM packets are cut anew in each message of the song: wherever a rendition began, the same frames make the
// same packets, and a listener that comes back fits the new ones to those it holds.

/// The song a second time, as linear PCM: for the listeners that lack a decoder for it, made while there are any.
///
/// Asks for one message's worth of decoding at a time, up to the horizon ahead or ``BroadcastLimits/bytesAhead``, and
/// keeps as much as the song's own log does.
struct PCMRendition {
    /// Frames of a packet.
    static let packetFrameCount = 1_024

    /// Tells its replies from those of an older one.
    let number: Int
    let format: AudioStreamFormat
    private(set) var streamMessage: ByteBuffer
    private(set) var log: PacketLog
    private let source: AudioStreamFormat
    private let magicCookie: [UInt8]
    /// Number of the song's message that is to be decoded next; nil before the first one is chosen.
    private(set) var next: Int?
    /// Frames before this one are decoded for the decoder's sake only.
    private var firstFrame = FramePosition.zero
    /// The next message does not follow the one that was decoded last.
    private var needsReset = true
    private(set) var isBusy = false
    /// How often decoding fell so far behind that some of the song was left out.
    private(set) var skipCount = 0

    /// Nil before the song's format is known.
    init?(number: Int, of summary: AudioStreamSummary, epoch: Epoch) {
        guard let source = summary.format else { return nil }
        self.number = number
        self.source = source
        magicCookie = summary.magicCookie
        format = Self.format(of: source)
        streamMessage = WireEncoder.stream(epoch, properties: Self.properties(summary, format))
        log = PacketLog(epoch: epoch)
    }

    /// 24 bits where the song has more than 16; the precision of a lossy codec is no more than that of 16.
    private static func format(of source: AudioStreamFormat) -> AudioStreamFormat {
        let byteCount = source.bitsPerChannel > 16 ? 3 : 2
        return .linearPCM(
            sampleRate: source.sampleRate, channels: source.channelsPerFrame, bitsPerChannel: byteCount * 8,
            bytesPerSample: byteCount, layout: [.signedInteger])
    }

    /// What of the song's properties holds for its PCM too.
    private static func properties(
        _ summary: AudioStreamSummary, _ format: AudioStreamFormat
    ) -> [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = [
            .dataFormat(format), .bitRate(Int(format.sampleRate) * format.bytesPerFrame * 8),
        ]
        if let table = summary.packetTable {
            properties.append(
                .packetTableInfo(
                    AudioPacketTableInfo(
                        validFrameCount: table.validFrameCount, primingFrameCount: 0, remainderFrameCount: 0)))
        }
        properties += summary.properties.filter { if case .info = $0 { true } else { false } }
        return properties + [.readyToProducePackets]
    }

    /// The song is called otherwise from now on.
    mutating func retitle(_ summary: AudioStreamSummary, epoch: Epoch) {
        streamMessage = WireEncoder.stream(epoch, properties: Self.properties(summary, format))
    }

    /// Whether all of the song's messages that there are have been decoded.
    func isLevel(with song: PacketLog) -> Bool { next == song.endIndex && !isBusy }

    /// The next piece of work; nil while one is under way or nothing is to be done.
    /// - Parameters:
    ///   - playing: the frame that is due now.
    ///   - horizon: nothing is decoded that lies farther ahead.
    mutating func request(
        from song: PacketLog, prerollPacketCount: Int, primingFrameCount: Int, playing: FramePosition,
        horizon: FramePosition
    ) -> TranscodingRequest? {
        guard !isBusy else { return nil }
        // Behind what the song's log still holds: decoding was too slow, or this machine stood still.
        if let next, next < song.startIndex { skip() }
        if next == nil { choose(song, prerollPacketCount, playing) }
        guard let next, next < song.endIndex, song[next].position < horizon,
            log.byteCount(log.index(of: playing)..<log.endIndex) < BroadcastLimits.bytesAhead
        else { return nil }
        let group = song[next]
        self.next = next + 1
        isBusy = true
        let streamFrame = needsReset ? group.position.index &+ Int64(primingFrameCount) : nil
        needsReset = false
        return TranscodingRequest(
            rendition: number, source: source, magicCookie: magicCookie, target: format, streamFrame: streamFrame,
            position: group.position, firstFrame: firstFrame, packets: group.packets, data: group.data)
    }

    private mutating func skip() {
        next = nil
        needsReset = true
        skipCount += 1
    }

    private mutating func choose(_ song: PacketLog, _ prerollPacketCount: Int, _ playing: FramePosition) {
        let index = song.index(of: max(playing, .zero))
        guard index < song.endIndex else { return }
        next = song.entry(before: index, prerollPacketCount: prerollPacketCount)
        firstFrame = max(song[index].position, .zero)
    }

    /// Takes decoded frames, the first of which lies at `position`, into the log.
    mutating func append(_ frames: ByteBuffer, at position: FramePosition, framesPerGroup: Int) {
        isBusy = false
        let frameCount = frames.readableBytes / format.bytesPerFrame
        let packets = stride(from: 0, to: frameCount, by: Self.packetFrameCount).map { start in
            let count = min(Self.packetFrameCount, frameCount - start)
            return AudioPacketDescription(
                startOffset: start * format.bytesPerFrame, byteCount: count * format.bytesPerFrame, frameCount: count)
        }
        _ = log.append(packets, data: frames, at: position, framesPerGroup: max(framesPerGroup, frameCount))
    }

    /// Forgets what nobody can need any more.
    mutating func trim(playing: FramePosition) { log.trim(before: log.index(of: max(playing, .zero)) - 1) }
}
