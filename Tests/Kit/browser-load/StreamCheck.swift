import AudioCore
import NIOCore
import WireProtocol

/// Checks that the song comes without a gap, and before it is due.
struct StreamCheck: WireSink {
    struct Figures {
        var gaps = 0
        /// Messages of song that came after their first frame was due.
        var late = 0
        /// The least time between a message and its first frame, in nanoseconds.
        var leastMargin: Int64?
        var messages = 0
        var entries = 0
    }

    private(set) var figures = Figures()
    private(set) var isWelcome = false
    private(set) var received: Int64 = 0
    /// Session time now; nil while it is not known.
    var session: Int64?
    private var epoch: Epoch?
    private var anchor: Anchor?
    private var entry: Int64?
    private var enteredAt: Int64?
    private var following: Int64?
    private var bytesPerFrame = 4

    /// What is due sooner after the entry cannot be expected in time, in nanoseconds.
    private static let grace: Int64 = 1_000_000_000

    var rate: Double { anchor?.framesPerSecond ?? 48_000 }

    mutating func wireDidParse(_ message: ControlMessage) {
        switch message {
        case .welcome: isWelcome = true
        case .streamBegins(let epoch): (self.epoch, entry, anchor, received) = (epoch, nil, nil, 0)
        case .anchor(let anchor): if anchor.epoch == epoch { self.anchor = anchor }
        case .entry(let mark):
            figures.entries += 1
            (entry, enteredAt, received) = (mark.frame.index, session, mark.frame.index)
            following = nil
        case .packetsFollow(let epoch, let position): following = epoch == self.epoch ? position.index : nil
        default: break
        }
    }

    mutating func streamDidParse(property: AudioStreamProperty) {
        if case .dataFormat(let format) = property { bytesPerFrame = max(1, format.bytesPerFrame) }
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        guard let position = following, entry != nil else { return }
        following = nil
        figures.messages += 1
        let end = position + Int64(data.byteCount / bytesPerFrame)
        // The first may begin before the entry.
        if position > received { figures.gaps += 1 }
        received = max(received, end)
        guard let session, let anchor else { return }
        let margin = anchor.session(of: FramePosition(position)).nanoseconds - session
        guard let enteredAt, session - enteredAt > Self.grace else { return }
        figures.leastMargin = min(margin, figures.leastMargin ?? margin)
        if margin < 0 { figures.late += 1 }
    }

    /// What a listener would report that plays at this session time.
    func report(session: Int64?) -> ListenerReport {
        let due = anchor.flatMap { anchor in
            session.map { anchor.position(at: SessionTime(nanoseconds: $0)).frames }
        }
        let heard = max(due ?? 0, Double(entry ?? 0))
        let isPlaying = entry != nil && (due ?? 0) > Double(entry ?? 0)
        let state: ListenerState = isPlaying ? .playing : session != nil && received > 0 ? .ready : .preparing
        return ListenerReport(
            state: state, epoch: epoch ?? Epoch(0), received: FramePosition(received),
            buffered: TimeSpan(seconds: max(0, Double(received) - heard) / rate))
    }
}
