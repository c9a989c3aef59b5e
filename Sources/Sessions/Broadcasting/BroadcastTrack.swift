import AudioCore
import ClockSync
import NIOCore
import Programmes
import WireProtocol

/// One epoch of a broadcast's timeline: a song, how its timeline follows its source, and where it is placed.
///
///     unplaced ──anchor──▶ anchored ⇄ cut
///        └──────void◀─────────┘
struct BroadcastTrack {
    private enum Placement {
        /// It is not known yet when it sounds.
        case unplaced
        case anchored(Anchor)
        /// The sound ends before this frame, for now, and by this time at the latest. The anchor says when; nil if
        /// there was none.
        case cut(at: FramePosition, Anchor?, by: SessionTime)
        /// Nothing of it will be heard: something else follows.
        case void
    }

    /// How a song comes to stand where it stands.
    enum Origin: Hashable {
        /// It is the first one, somebody asked for it, or it was passed to because another one could not be played.
        case commanded
        /// Somebody sought a place in it, and it is not the first song of its source.
        case sought
        /// The programme went on to it.
        case follows
        /// It comes from the same source as the song of this epoch, behind it.
        case sameSource(as: Epoch)
    }

    /// Its item of the programme; nil if there is none yet.
    let item: ItemID?
    var origin: Origin
    /// Songs of the same source before this one.
    let songsBefore: Int
    /// Whether its packets come as they are made; nil until that is known.
    var isLive = false
    /// Whether the source can be read from another place.
    var isSeekable = true
    /// The first frame to be heard.
    let firstFrame: FramePosition
    var song: BroadcastSong
    var follower: SourceFollower
    var titles = TitleSchedule()
    var pcm: SharedPCM
    private var placement = Placement.unplaced
    /// Grows with each change of the placement; 0 while there is none.
    private(set) var placementNumber = 0
    /// Tells listeners of the placement.
    private(set) var placementMessage: ByteBuffer?

    /// - Parameter title: the song's if its stream has none.
    init(
        _ epoch: Epoch, _ configuration: BroadcastConfiguration, item: ItemID?, title: String,
        origin: Origin = .commanded, songsBefore: Int = 0, from firstFrame: FramePosition = .zero
    ) {
        self.item = item
        self.origin = origin
        self.songsBefore = songsBefore
        self.firstFrame = firstFrame
        song = BroadcastSong(epoch: epoch, fallbackTitle: title, loudness: configuration.loudness)
        follower = SourceFollower(configuration)
        pcm = SharedPCM(epoch)
    }

    /// Takes up a song of which nothing was heard, as far as it was read, as another epoch.
    init(_ epoch: Epoch, _ configuration: BroadcastConfiguration, takingUp parked: BroadcastTrack, origin: Origin) {
        self.init(
            epoch, configuration, item: parked.item, title: "", origin: origin, songsBefore: parked.songsBefore,
            from: parked.firstFrame)
        (isLive, isSeekable) = (parked.isLive, parked.isSeekable)
        (song, titles, sourceEnd) = (parked.song.renumbered(as: epoch), parked.titles, parked.sourceEnd)
    }

    var epoch: Epoch { song.epoch }
    /// Whether nothing of it can be heard, now that all of it was read.
    var isUnplayable: Bool { sourceEnd != nil && !song.isPlayable }
    /// Whether it goes on in the source of the song before it.
    var isFurtherSong: Bool { if case .sameSource = origin { true } else { false } }
    /// Whether a command leads to it.
    var isCommanded: Bool { origin == .commanded || origin == .sought }

    // MARK: Its end

    /// What comes behind it in its source; nil before it was read to its end.
    private(set) var sourceEnd: SourceEnd?

    /// Marks the song as read to its end. `failure` says why, if that is not the song's real end.
    mutating func end(_ sourceEnd: SourceEnd, failure: String?) {
        song.finish(failure: failure, isFollowed: sourceEnd == .anotherSong)
        self.sourceEnd = sourceEnd
    }

    /// Whether the song, whatever it says, ends before the first frame that is to be heard of it.
    var endsBeforeItsFirstFrame: Bool {
        guard song.isReady, song.failure == nil, firstFrame > .zero, let end = song.end else { return false }
        return song.log.endIndex == 0 || end <= firstFrame
    }

    /// Takes note that nothing comes behind it in its source after all.
    mutating func endSource() { if sourceEnd != nil { sourceEnd = .nothing } }

    // MARK: Placement

    /// The anchor in force; nil before there was one, and after a cut.
    var anchor: Anchor? { if case .anchored(let anchor) = placement { anchor } else { nil } }

    /// The anchor by which it sounds or did before it was cut.
    var lastAnchor: Anchor? {
        switch placement {
        case .anchored(let anchor): anchor
        case .cut(_, let anchor, _): anchor
        case .unplaced, .void: nil
        }
    }

    /// The frame before which the sound ends for now.
    var cutFrame: FramePosition? { if case .cut(let frame, _, _) = placement { frame } else { nil } }

    var isPlaced: Bool { placementNumber > 0 }

    /// Whether nothing of it will be heard.
    var isVoid: Bool { if case .void = placement { true } else { false } }

    /// - Parameter number: of all placements of the broadcast the newest.
    mutating func place(by anchor: Anchor, number: Int) {
        placement = .anchored(anchor)
        placementNumber = number
        placementMessage = WireEncoder.anchor(anchor)
    }

    /// Ends the sound before `frame`, for now, which was or would be due at `instant` or before.
    mutating func cut(at frame: FramePosition, by instant: SessionTime, number: Int) {
        placement = .cut(at: frame, lastAnchor, by: instant)
        follower.noteCut()
        placementNumber = number
        placementMessage = WireEncoder.cut(epoch, at: frame)
    }

    /// Makes it void: nothing of it is heard.
    mutating func void(number: Int) {
        placement = .void
        placementNumber = number
        placementMessage = WireEncoder.cut(epoch, at: firstFrame)
    }

    // MARK: Time

    /// Returns the frame that is due now: negative if the song begins later, its first one before it is placed. While
    /// the source has stalled this is the missing frame, until it is heard.
    func position(_ now: HostTime) -> FramePosition {
        let session = ClockMapping.identity.session(at: now)
        switch placement {
        case .unplaced, .void: return firstFrame
        case .anchored(let anchor): return follower.position(by: anchor, at: session)
        case .cut(let frame, let anchor, _):
            guard let anchor else { return frame }
            return min(frame, follower.position(by: anchor, at: session))
        }
    }

    /// When its first frame is or was due, by the newest anchor; nil while nothing says so.
    var start: SessionTime? { lastAnchor?.session(of: firstFrame) }

    /// Whether its first frame was due by `instant`, and no cut came before it.
    func hasBegun(by instant: SessionTime) -> Bool {
        guard let start, start <= instant else { return false }
        return cutFrame.map { $0 > firstFrame } ?? true
    }

    /// When its sound ends or ended by a cut; nil if there was none, or nothing sounded.
    var cutInstant: SessionTime? {
        guard case .cut(let frame, let anchor?, let instant) = placement else { return nil }
        // A sound that was to begin later has not begun.
        return min(anchor.session(of: frame), instant)
    }

    /// When the frame after its last one would be due; nil before the end is known.
    var endInstant: SessionTime? { song.end.flatMap { anchor?.session(of: $0) } }
}
