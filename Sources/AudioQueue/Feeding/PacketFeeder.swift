import AudioCore
import AudioDecoding
import Playout

// From packets to frames in the ring.
//
// Every packet says where its first frame lies; every frame goes to that place and nowhere else. So the feeder never
// counts on packets being complete: what lies between the end of one and the beginning of the next is silence, what
// lies before the first wanted frame or after the end is dropped, and a packet that ends before what we already have
// is stale. At a gap the decoder starts afresh, and the edges are smoothed: the last frame dies away over 5 ms, the
// first one after it comes in over 5 ms. The packets that go on behind a gap may begin with what the decoder needs
// first; where they were announced with a first frame, nothing before that is heard.
//
// Decoding is paced by room in the ring, one packet for each `feed()`, so that the caller decides how long it works.

/// Decodes an epoch's packets into its rendition's ring: the part of an audio queue without threads and clocks.
///
/// Bounded by ``AudioQueueLimits``. Not thread-safe; not for a real-time thread.
public struct PacketFeeder {
    let decoders: DecoderCatalog
    let limits: AudioQueueLimits
    var queue = PacketQueue()
    var current: FeederEpoch?
    /// Where the sound goes on, should the packets to come lie behind a gap.
    private var reentry: FramePosition?
    var counters = PacketFeederSnapshot()

    public init(decoders: DecoderCatalog, limits: AudioQueueLimits = AudioQueueLimits()) {
        self.decoders = decoders
        self.limits = limits
    }

    /// Drops everything of the epoch before, and makes the rendition of a new one.
    /// - Throws: where no decoder can be made; the feeder then has no epoch.
    public mutating func begin(_ stream: AudioQueueStream) throws(AudioDecodingError) -> Rendition {
        flush()
        guard AudioQueueLimits.positionRange.contains(stream.firstFrame.index) else {
            throw .unsupportedFormat("it begins at \(stream.firstFrame)")
        }
        let decoder = try decoders.makeDecoder(for: stream.format, magicCookie: stream.magicCookie)
        guard Limits.sampleRateRange.contains(decoder.sampleRate), Limits.channelRange.contains(decoder.channelCount)
        else { throw .unsupportedFormat("\(decoder.channelCount) channels at \(decoder.sampleRate) Hz") }
        let rendition = Rendition(
            epoch: stream.epoch, sampleRate: decoder.sampleRate, channelCount: decoder.channelCount,
            firstFrame: stream.firstFrame, fadesIn: stream.fadesIn,
            capacity: Int(limits.decodedSpan.seconds * decoder.sampleRate))
        current = FeederEpoch(stream: stream, decoder: decoder, rendition: rendition)
        return rendition
    }

    /// Takes a copy of one packet of the current epoch; its first frame lies at `frame`.
    public mutating func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> AudioQueueAdmission {
        var admission = admit(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
        if admission == .full {
            giveWay(to: frame + Int64(frameCount))
            admission = admit(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
        }
        switch admission {
        case .accepted:
            let copy = bytes.withUnsafeBytes { [UInt8]($0) }
            queue.append(QueuedPacket(bytes: copy, frame: frame, frameCount: frameCount, firstFrame: reentry))
        case .stale: counters.stalePacketCount += 1
        case .full: counters.refusedPacketCount += 1
        case .invalid: counters.invalidPacketCount += 1
        case .notPlaying: break
        }
        return admission
    }

    /// States that the packets to come are for hearing from `frame` on, if they lie behind a gap: those before it warm
    /// the decoder up. Where they follow without a gap nothing changes.
    public mutating func reenter(at frame: FramePosition, epoch: Epoch) {
        if current?.stream.epoch == epoch { reentry = frame }
    }

    /// States the position after the last audible frame.
    /// - Parameter packetsFollow: whether packets may still come. If not, what is missing up to `end` is silence.
    public mutating func finish(at end: FramePosition, packetsFollow: Bool, epoch: Epoch) {
        guard current?.stream.epoch == epoch else { return }
        current?.end = end
        current?.isComplete = !packetsFollow
    }

    /// Drops the current epoch and all that waits.
    public mutating func flush() {
        queue.removeAll()
        current = nil
        reentry = nil
    }

    /// Frames in the ring that may still be heard.
    var decodedFrameCount: Int { current?.rendition.ring.readableFrameCount ?? 0 }
    var decodedSpan: TimeSpan {
        TimeSpan(seconds: current.map { Double(decodedFrameCount) / $0.rendition.sampleRate } ?? 0)
    }

    public var snapshot: PacketFeederSnapshot {
        var snapshot = counters
        snapshot.queuedPacketCount = queue.count
        snapshot.queuedByteCount = queue.byteCount
        snapshot.queuedFrameCount = queue.frameCount
        guard let current else { return snapshot }
        snapshot.epoch = current.stream.epoch
        snapshot.sampleRate = current.rendition.sampleRate
        snapshot.decodedEnd = current.expected ?? current.stream.firstFrame
        snapshot.damagedPacketCount = current.decoder.damagedPacketCount
        return snapshot
    }

    /// Drops what waits from before the newest re-entry and lies farther back than is ever sent ahead: that was due
    /// while this machine slept, and would keep out what can still be heard.
    /// - Parameter end: the frame after the newcomer, which itself lies no farther behind the re-entry.
    private mutating func giveWay(to end: FramePosition) {
        guard let current, let reentry, AudioQueueLimits.positionRange.contains(reentry.index) else { return }
        let span = limits.queuedSpan.seconds * current.rendition.sampleRate
        guard Double(end - reentry) <= span else { return }
        while let first = queue.first, first.firstFrame != reentry, Double(end - first.frame) > span {
            _ = queue.removeFirst()
            counters.stalePacketCount += 1
        }
    }

    private func admit(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> AudioQueueAdmission {
        guard let current, current.stream.epoch == epoch, !current.hasFailed else { return .notPlaying }
        guard bytes.byteCount <= Limits.packetByteCount, (1...Limits.packetFrameCount).contains(frameCount),
            AudioQueueLimits.positionRange.contains(frame.index)
        else { return .invalid }
        if let expected = queue.last?.end ?? current.expected, frame < expected { return .stale }
        let queuedFrames = (frame + Int64(frameCount)) - (queue.first?.frame ?? frame)
        guard queue.byteCount + bytes.byteCount <= limits.queuedByteCount,
            Double(queuedFrames) <= limits.queuedSpan.seconds * current.rendition.sampleRate || queue.count == 0
        else { return .full }
        return .accepted
    }
}
