import AudioCore
import NIOCore
import WireProtocol

// Why listeners that decode and those that are sent PCM hear the same frames at the same instants:
//
// A PCM frame has the position of the frame it was decoded from, so both forms share one epoch, one anchor and one end.
// Priming is left out: PCM begins at frame 0. A listener that needs PCM in the middle of the song is sent it from the
// message that is due now; the decoder begins earlier by its pre-roll, so that the first frame is exact. Each message
// of the song is cut into PCM packets separately. So the same frames make the same packets wherever a rendition began,
// and for a returning listener the new packets fit those it holds.

/// The song as linear PCM, made while listeners lack a decoder for it.
///
/// Requests one message's worth of decoding at a time, up to the horizon ahead or ``BroadcastLimits/bytesAhead``, and
/// keeps as much as the song's own log does.
struct TranscodedSong {
    /// Frames per packet.
    static let packetFrameCount = 1_024

    /// Distinguishes its replies from those of an older rendition.
    let number: RenditionNumber
    let format: AudioStreamFormat
    private(set) var streamMessage: ByteBuffer
    private(set) var log: PacketLog
    private let source: AudioStreamFormat
    private let magicCookie: [UInt8]
    /// Number of the song's message to decode next; nil before the first one is chosen.
    private(set) var next: Int?
    /// Frames before this one are pre-roll.
    private var firstFrame = FramePosition.zero
    /// Whether the next message does not follow the last decoded one.
    private var needsReset = true
    private(set) var isBusy = false
    /// How often decoding fell so far behind that a part of the song was left out.
    private(set) var skipCount = 0

    /// Nil before the song's format is known.
    init?(number: RenditionNumber, of summary: AudioStreamSummary) {
        guard let source = summary.format else { return nil }
        self.number = number
        self.source = source
        magicCookie = summary.magicCookie
        format = Self.format(of: source)
        streamMessage = WireEncoder.stream(number.epoch, properties: Self.properties(summary, format))
        log = PacketLog(epoch: number.epoch)
    }

    /// Returns 24 bits if the song has more than 16; a lossy codec is no more precise than 16.
    private static func format(of source: AudioStreamFormat) -> AudioStreamFormat {
        let byteCount = source.bitsPerChannel > 16 ? 3 : 2
        return .linearPCM(
            sampleRate: source.sampleRate, channels: source.channelsPerFrame, bitsPerChannel: byteCount * 8,
            bytesPerSample: byteCount, layout: [.signedInteger])
    }

    /// Returns those of the song's properties that hold for its PCM too.
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
        properties += summary.properties.filter { property in
            switch property {
            case .info, .gain: true
            default: false
            }
        }
        return properties + [.readyToProducePackets]
    }

    /// Shows another title from now on.
    mutating func retitle(_ summary: AudioStreamSummary) {
        streamMessage = WireEncoder.stream(number.epoch, properties: Self.properties(summary, format))
    }

    /// Returns whether all of the song's present messages have been decoded.
    func isLevel(with song: PacketLog) -> Bool { next == song.endIndex && !isBusy }

    /// Returns the next piece of work; nil while one is under way or there is nothing to do.
    /// - Parameters:
    ///   - playing: the frame that is due now.
    ///   - horizon: nothing farther ahead is decoded.
    mutating func request(
        from song: PacketLog, prerollPacketCount: Int, primingFrameCount: Int, playing: FramePosition,
        horizon: FramePosition
    ) -> TranscodingRequest? {
        guard !isBusy else { return nil }
        // The song's log no longer holds it: decoding was too slow, or this machine stood still.
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

    /// Appends decoded frames to the log, the first at `position`.
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
