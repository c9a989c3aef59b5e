import AudioCore
import WireProtocol

/// Compares what one connection says with the song, packet by packet, and with the time at which it is said.
///
/// A joiner, and one that fell behind, is told by an entry mark where it goes on; packets then follow one another
/// without a gap up to the end. How early a message is there counts from its first audible frame, once the anchor says
/// when that is due; the broadcaster's clock is this machine's own.
public struct ReceptionCheck: WireSink {
    /// What is due sooner after the entry mark was read cannot be expected in time.
    public static let grace = TimeSpan.milliseconds(250)

    public private(set) var figures = ReceptionFigures()
    public private(set) var greeting: Greeting?
    public private(set) var refusal: Refusal?
    public private(set) var farewell: BroadcastEnd?
    public private(set) var epoch: Epoch?
    public private(set) var anchor: Anchor?
    public private(set) var entry: FramePosition?
    /// The frame after the last one received.
    public private(set) var received = FramePosition.zero
    public private(set) var end: FramePosition?
    /// Messages' margins since they were taken last.
    private(set) var margins: [TimeSpan] = []
    private(set) var welcome: Welcome?
    /// How often the broadcaster wants reports; nil if it did not say.
    private(set) var reportInterval: TimeSpan?

    private let song: LoadSong
    /// When the bytes that are being parsed were read.
    private var now = HostTime(nanoseconds: 0)
    private var enteredAt = HostTime(nanoseconds: 0)
    /// Number of the packet that must come next; nil until the first came.
    private var expected: Int?
    private var isEntering = false
    private var following: FramePosition?
    /// Messages that came before the anchor.
    private var waiting: [(first: FramePosition, end: Int, count: Int, at: HostTime)] = []

    public init(song: LoadSong) { self.song = song }

    /// Tells when the bytes that follow were read.
    public mutating func begin(at now: HostTime) { self.now = now }

    mutating func takeWelcome() -> Welcome? {
        defer { welcome = nil }
        return welcome
    }

    mutating func takeMargins(into sum: inout DeliveryMargins) {
        for margin in margins { sum.add(margin) }
        margins.removeAll(keepingCapacity: true)
    }

    // MARK: Messages

    public mutating func wireDidParse(_ message: ControlMessage) {
        switch message {
        case .greeting(let greeting): self.greeting = greeting
        case .welcome(let welcome): self.welcome = welcome
        case .refusal(let refusal): self.refusal = refusal
        case .broadcastEnd(let end): farewell = end
        case .streamBegins(let epoch):
            if self.epoch != nil { figures.unexpected += 1 }
            self.epoch = epoch
        case .packetsFollow(let epoch, let position): following = epoch == self.epoch ? position : nil
        case .entry(let mark): enter(mark)
        case .anchor(let anchor): take(anchor)
        case .streamEnds(let epoch, let end): streamEnds(epoch, end)
        case .reportInterval(let interval): reportInterval = interval
        case .keepAlive, .clock, .groupVolume, .nextTitle, .modes: break
        case .household, .pairing, .cut, .report, .roster, .command, .outcome, .follow, .unfollow, .programmeState,
            .programmeChange,
            .queuePageRequest, .queuePage, .settings, .songOffer, .songBytes, .songCredit, .lookup, .finding:
            figures.unexpected += 1
        }
    }

    public mutating func streamDidParse(property: AudioStreamProperty) {
        if case .dataFormat(let format) = property, format != song.format { figures.unexpected += 1 }
    }

    private mutating func enter(_ mark: EntryMark) {
        guard mark.epoch == epoch, entry == nil || mark.lostPacketCount > 0 else {
            figures.unexpected += 1
            return
        }
        figures.entries += 1
        figures.told += Int(mark.lostPacketCount)
        if let expected {
            figures.missing += max(0, song.packet(containing: mark.frame) - expected)
        } else {
            received = mark.frame
        }
        entry = mark.frame
        enteredAt = now
        isEntering = true
    }

    private mutating func take(_ anchor: Anchor) {
        guard anchor.epoch == epoch else {
            figures.unexpected += 1
            return
        }
        figures.anchors += 1
        self.anchor = anchor
        for message in waiting { judge(message.first, end: message.end, count: message.count, at: message.at, anchor) }
        waiting.removeAll()
    }

    private mutating func streamEnds(_ epoch: Epoch, _ end: FramePosition) {
        guard epoch == self.epoch, end == song.end else {
            figures.unexpected += 1
            return
        }
        figures.ends += 1
        self.end = end
        let last = song.packet(containing: end - 1)
        if let expected, expected <= last { figures.missing += last + 1 - expected }
    }

    // MARK: Packets

    public mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        guard let position = following, let entry else {
            figures.unexpected += 1
            return
        }
        following = nil
        figures.packets += packets.count
        guard let index = index(of: position) else {
            figures.misplaced += packets.count
            return
        }
        figures.mismatched += song.mismatchCount(packets, data, at: index)
        if isEntering {
            judgePreroll(from: index, to: entry)
        } else if let expected, index != expected {
            figures.missing += max(0, index - expected)
            figures.repeated += min(packets.count, max(0, expected - index))
        }
        isEntering = false
        let end = min(index + packets.count, song.packetCount)
        expected = end
        received = max(received, FramePosition(song.positions[end]))
        let audible = song.packet(containing: entry)
        figures.preroll += max(0, min(end, audible) - index)
        guard end > audible else { return }
        let first = FramePosition(max(position.index, song.positions[audible]))
        let count = end - max(index, audible)
        if let anchor {
            judge(first, end: end, count: count, at: now, anchor)
        } else {
            waiting.append((first, end, count, now))
        }
    }

    /// The packet that is expected needs no search.
    private func index(of position: FramePosition) -> Int? {
        if let expected, expected < song.packetCount, song.positions[expected] == position.index { return expected }
        return song.packet(at: position)
    }

    /// A decoder's packets come whole messages at a time: up to 200 ms more than it needs.
    private mutating func judgePreroll(from index: Int, to entry: FramePosition) {
        let audible = song.packet(containing: entry)
        let count = audible - index
        let needed = min(song.prerollPacketCount, audible)
        let allowance = 2 + Int(song.format.sampleRate * 0.2) / max(1, song.format.framesPerPacket)
        if count < needed || count > needed + allowance { figures.wrongPreroll += 1 }
    }

    private mutating func judge(_ first: FramePosition, end: Int, count: Int, at instant: HostTime, _ anchor: Anchor) {
        let session = ClockMapping.identity.session(at: instant)
        let margin = anchor.session(of: first) - session
        guard margin > (enteredAt + Self.grace) - instant else {
            figures.catchUp += 1
            return
        }
        margins.append(margin)
        guard margin < .zero else { return }
        for index in end - count..<end where anchor.session(of: FramePosition(song.positions[index])) < session {
            figures.late += 1
        }
    }

    /// The connection ended, or is not to be judged any further.
    mutating func noteLostConnection() { figures.lostConnections += 1 }
}
