import AudioCore
import ClockSync

// A source may deliver less than is heard: a slow server, a pipe whose writer pauses, a station that was cut off.
//
// Listeners fall silent by themselves when their packets end. What comes after that is late, and would stay late for
// ever. So the timeline stops at the first frame that did not come in time. What the source delivers next is kept back
// until there is enough for a start. Then the anchor is moved: that frame is due one start delay later, and the rest
// behind it. No frame is lost, and all listeners go on at the same instant, because they follow the anchor. The epoch
// stays, so decoders and what they have decoded stay too.
//
// A broadcaster that did not run for a while suddenly finds itself behind. Its source, which is not to blame, gets a
// second to catch up. So a file goes on where it would be by then, as it does for a listener that lost packets.
//
// A listener's sound card may still hold what was played last, and would play it again if the timeline returned to it.
// So the timeline is not moved before that is gone.

/// How a song's timeline follows its source.
///
///     level ──▶ behind ──▶ lacking ──a frame was due that is not there──▶ silent
///       ▲  └────────────────▶ │                                             │
///       └──────────◀──────────┴──────────────────◀──────────────────────────┘
///
/// - `level`: the source delivers what is wanted, and its pace is followed (``SourcePace``).
/// - `behind`: too little was there all at once; the source has ``BroadcastLimits/catchUpTime``.
/// - `lacking`: the next frame is missing and due soon. Frames are kept back, unless they come in time.
/// - `silent`: the missing frame was due. Ends with a moved anchor, or with the song.
///
/// A live source is followed by its own clock instead, from the first time that it tells it, and has no other stage.
struct SourceFollower {
    /// What a look at the source found.
    enum Finding: Hashable {
        /// Nothing is heard any more.
        case fellSilent
        /// Enough is there again: the song goes on by this anchor, after this silence.
        case goesOn(Anchor, silence: TimeSpan)
    }

    /// A frame that did not come in time.
    private struct Gap {
        /// The first missing frame.
        var frame: FramePosition
        /// When it was due.
        var due: SessionTime
    }

    private enum Stage {
        /// The anchor by the source's clock.
        case live(Anchor)
        case level
        case behind(since: HostTime)
        case lacking(Gap)
        case silent(Gap)
    }

    private var stage = Stage.level
    private var pace = SourcePace()
    /// Of a live source; nil if the broadcast has none.
    private let latency: TimeSpan?
    private let startDelay: TimeSpan
    private let lead: TimeSpan

    init(_ configuration: BroadcastConfiguration) {
        latency = configuration.liveLatency
        startDelay = configuration.startDelay ?? BroadcastLimits.longStartDelay
        lead = configuration.sourceLead
    }

    // MARK: Where the timeline is

    var isLive: Bool { if case .live = stage { true } else { false } }

    /// The first frame that is kept back because it would be late on the present timeline; nil while the source keeps
    /// up.
    var heldFrame: FramePosition? {
        switch stage {
        case .lacking(let gap), .silent(let gap): gap.frame
        case .live, .level, .behind: nil
        }
    }

    /// Returns the frame that is due by `anchor`. While frames are kept back it is at most the first of them.
    func position(by anchor: Anchor, at session: SessionTime) -> FramePosition {
        let due = FramePosition(Int64(saturating: anchor.position(at: session).frames))
        if let heldFrame { return min(due, heldFrame) }
        // A live source's anchor names a frame that is in the air now and due later.
        return anchor.frame > .zero && !isLive ? max(due, anchor.frame) : due
    }

    /// The sound was cut: where it goes on, what is missing is due at another time.
    mutating func noteCut() {
        switch stage {
        case .live: break
        case .level, .behind, .lacking, .silent: stage = .level
        }
    }

    // MARK: A live source

    /// The anchor by the source's clock; nil before it is known, and if the source is not live.
    var liveAnchor: Anchor? { if case .live(let anchor) = stage { anchor } else { nil } }

    /// Takes a live source's clock.
    /// - Returns: the anchor, if it changed.
    mutating func note(_ clock: SourceClock, _ epoch: Epoch) -> Anchor? {
        guard let latency, let anchor = clock.anchor(epoch, latency: latency), anchor != liveAnchor else { return nil }
        stage = .live(anchor)
        return anchor
    }

    // MARK: Any other

    /// Returns whether enough is there for the song to begin, or go on, with `frame`.
    func isEnough(_ song: BroadcastSong, from frame: FramePosition) -> Bool { song.hasLead(lead, from: frame) }

    /// Checks whether the source keeps up with what is heard by `anchor`.
    mutating func watch(_ song: BroadcastSong, by anchor: Anchor, now: HostTime) -> [Finding] {
        // A live source's timeline never waits.
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
            // The frame came in time after all, or nothing more will come.
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
    ///   - lead: time until `next`, the first missing frame, is due; nil if everything is there.
    private mutating func judge(lead: TimeSpan?, _ next: Gap, _ now: HostTime) {
        switch stage {
        case .level:
            guard let lead, lead < BroadcastLimits.leastLead else { return }
            // After a standstill of this machine the frame is overdue at once; otherwise looks are frequent enough to
            // see it coming.
            stage = lead > .zero ? .lacking(next) : .behind(since: now)
        case .behind(let since):
            guard let lead, lead < BroadcastLimits.leastLead else { return stage = .level }
            if now - since >= BroadcastLimits.catchUpTime { stage = .lacking(next) }
        case .live, .lacking, .silent: break
        }
    }

    /// Returns the anchor that matches the source's pace, if it differs from `anchor`; a nil `anchor` stands for a song
    /// that is not played.
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
