import AudioCore
import ClockSync

// A source that brings less than is heard: a slow server, a pipe whose writer pauses, a station that was cut off.
//
// Listeners fall silent by themselves when their packets end. What comes after that is late, and would be late for ever.
// So the timeline stands still at the first frame that did not come in time. What the source brings then is kept back
// until there is as much of it as a start wants; then the anchor is moved: that frame is due one start delay later, and
// the rest behind it. No frame is lost, and all go on at the same instant, for they follow the anchor. Since the epoch
// stays, so do decoders and what they have decoded.
//
// A broadcaster that did not run for a while finds itself behind all of a sudden; its source, which is not to blame, is
// given a second to catch up. So a file goes on where it would be by then, as for whoever lost packets.
//
// A listener may still hold in its sound card what it has played last, and would play it again if the timeline came
// back to it. So the timeline is not moved before that is gone.

/// How a song's timeline follows its source.
///
///     level ──▶ behind ──▶ lacking ──a frame was due that is not there──▶ silent
///       ▲  └────────────────▶ │                                             │
///       └──────────◀──────────┴──────────────────◀──────────────────────────┘
///
/// - `level`: the source brings what is wanted; its pace is followed. ``SourcePace``
/// - `behind`: all of a sudden too little was there; the source has ``BroadcastLimits/catchUpTime``.
/// - `lacking`: the next frame is not there and due soon. What comes now is kept back, unless it comes in time.
/// - `silent`: it was due. Ends with a moved anchor, or with the song.
///
/// A live source is followed by its own clock instead, and has no other stage.
struct SourceFollower {
    /// What a look at the source showed.
    enum Finding: Hashable {
        /// Nothing is heard any more.
        case fellSilent
        /// Enough is there again: by this anchor it goes on, after so much silence.
        case goesOn(Anchor, silence: TimeSpan)
    }

    /// What did not come in time.
    private struct Gap {
        /// The first frame that was not there.
        var frame: FramePosition
        /// When it was due.
        var due: SessionTime
    }

    private enum Stage {
        /// The anchor by the source's clock; nil before that is known.
        case live(latency: TimeSpan, Anchor?)
        case level
        case behind(since: HostTime)
        case lacking(Gap)
        case silent(Gap)
    }

    private var stage: Stage
    private var pace = SourcePace()
    private let startDelay: TimeSpan
    private let lead: TimeSpan

    init(_ configuration: BroadcastConfiguration) {
        stage = configuration.liveLatency.map { .live(latency: $0, nil) } ?? .level
        startDelay = configuration.startDelay
        lead = configuration.sourceLead
    }

    // MARK: Where the timeline is

    var isLive: Bool { if case .live = stage { true } else { false } }

    /// The first frame that is kept back, as by the timeline as it is it would come late; nil while the source keeps up.
    var heldFrame: FramePosition? {
        switch stage {
        case .lacking(let gap), .silent(let gap): gap.frame
        case .live, .level, .behind: nil
        }
    }

    /// The frame that is due by `anchor`. While frames are kept back it is at most the first of them.
    func position(by anchor: Anchor, at session: SessionTime) -> FramePosition {
        let due = FramePosition(Int64(saturating: anchor.position(at: session).frames))
        if let heldFrame { return min(due, heldFrame) }
        // A live source's anchor names what is in the air now, and due later.
        return anchor.frame > .zero && !isLive ? max(due, anchor.frame) : due
    }

    // MARK: A live source

    /// By the source's clock; nil before it is known, and where the source is not live.
    var liveAnchor: Anchor? { if case .live(_, let anchor) = stage { anchor } else { nil } }

    /// The clock of a live source is known, or known better.
    /// - Returns: the anchor if it is another one.
    mutating func note(_ clock: SourceClock, _ epoch: Epoch) -> Anchor? {
        guard case .live(let latency, let old) = stage, let anchor = clock.anchor(epoch, latency: latency),
            anchor != old
        else { return nil }
        stage = .live(latency: latency, anchor)
        return anchor
    }

    // MARK: Any other

    /// Whether enough is there for the song to begin with `frame`, or to go on with it.
    func isEnough(_ song: BroadcastSong, from frame: FramePosition) -> Bool { song.hasLead(lead, from: frame) }

    /// Sees whether the source keeps up with what is heard by `anchor`.
    mutating func watch(_ song: BroadcastSong, by anchor: Anchor, now: HostTime) -> [Finding] {
        // A live source's frames are due when they are due.
        guard !isLive, let last = song.log.end else { return [] }
        let session = ClockMapping.identity.session(at: now)
        let next = Gap(frame: last, due: anchor.session(of: last))
        judge(lead: song.end == nil ? next.due - session : nil, next, now)
        let gap: Gap
        switch stage {
        case .lacking(let found), .silent(let found): gap = found
        case .live, .level, .behind: return []
        }
        let isThere = last > gap.frame
        if isThere ? session < gap.due - BroadcastLimits.latestSend : song.end != nil {
            // It came in time after all, or nothing more will come.
            stage = .level
            return []
        }
        guard session >= gap.due else { return [] }
        var findings: [Finding] = []
        if case .lacking = stage { findings.append(.fellSilent) }
        stage = .silent(gap)
        guard isThere, isEnough(song, from: gap.frame), session >= gap.due + BroadcastLimits.stallTime else {
            return findings
        }
        stage = .level
        var moved = anchor
        moved.frame = gap.frame
        moved.session = session + startDelay
        findings.append(.goesOn(moved, silence: moved.session - gap.due))
        return findings
    }

    /// - Parameters:
    ///   - lead: until `next` is due, the first frame that is not there; nil where all is there.
    private mutating func judge(lead: TimeSpan?, _ next: Gap, _ now: HostTime) {
        switch stage {
        case .level:
            guard let lead, lead < BroadcastLimits.leastLead else { return }
            // Where it was seen to fall behind nothing stood still: looks are closer together than that.
            stage = lead > .zero ? .lacking(next) : .behind(since: now)
        case .behind(let since):
            guard let lead, lead < BroadcastLimits.leastLead else { return stage = .level }
            if now - since >= BroadcastLimits.catchUpTime { stage = .lacking(next) }
        case .live, .lacking, .silent: break
        }
    }

    /// The anchor by which the song is played as fast as its source brings it, where that is another than `anchor`; nil
    /// stands for a song that is not played.
    mutating func repace(_ song: BroadcastSong, by anchor: Anchor?, now: HostTime) -> Anchor? {
        guard let anchor, !isLive, heldFrame == nil, song.isAwaited, let last = song.log.end,
            let rate = song.framesPerSecond
        else {
            pace.interrupt()
            return nil
        }
        let session = ClockMapping.identity.session(at: now)
        guard pace.note(lead: anchor.session(of: last) - session, now: now) else { return nil }
        let frame = position(by: anchor, at: session)
        let moved = Anchor(
            epoch: anchor.epoch, frame: frame, session: anchor.session(of: frame),
            framesPerSecond: rate * (1 + pace.correction.value * 1e-6))
        return frame > anchor.frame && moved.isValid ? moved : nil
    }
}
