import AudioCore
import ClockSync

/// The epochs on a broadcast's timeline: the one that is heard, and those that stand behind it.
///
/// A song that follows naturally begins where the one before it ends; a jump cuts what is heard and puts the target
/// behind it. What was cut stays until its last frame was due.
struct BroadcastTimeline {
    /// The epoch that is heard, or will be first.
    var heard: BroadcastTrack
    /// Those behind it, in order.
    private(set) var coming: [BroadcastTrack] = []
    /// Number of the newest placement.
    private var placementCount = 0

    init(_ first: BroadcastTrack) { heard = first }

    var tracks: [BroadcastTrack] { [heard] + coming }
    /// Those that sound or will, in order.
    private var sounding: [BroadcastTrack] { tracks.filter { !$0.isVoid } }
    var last: BroadcastTrack { sounding.last ?? heard }
    /// The one that is heard or, if that was cut for a jump, the target of the jump.
    var present: BroadcastTrack { tracks[target(of: 0)] }
    /// The one that follows naturally what is heard or, if a command leads elsewhere, the command's target.
    var next: BroadcastTrack? {
        let targetIndex = coming.lastIndex { $0.isCommanded && !$0.isVoid }
        return coming[(targetIndex.map { $0 + 1 } ?? 0)...].first { $0.origin == .follows && !$0.isVoid }
    }
    /// How many songs stand behind the one that is heard.
    var comingCount: Int { coming.count { !$0.isVoid } }

    // MARK: Placing

    /// Puts an anchor in force for an epoch, and moves those that follow it naturally.
    mutating func place(by anchor: Anchor) {
        change(anchor.epoch) { track, number in track.place(by: anchor, number: number) }
        follow(anchor.epoch)
    }

    /// Places what stands behind an epoch where that ends.
    private mutating func follow(_ epoch: Epoch) {
        let chain = sounding.drop { $0.epoch != epoch }
        for (former, track) in zip(chain, chain.dropFirst()) {
            guard let end = sounding.first(where: { $0.epoch == former.epoch })?.endInstant,
                let rate = track.song.framesPerSecond, track.cutFrame == nil, track.start != end
            else { return }
            let anchor = Anchor(epoch: track.epoch, frame: track.firstFrame, session: end, framesPerSecond: rate)
            change(track.epoch) { track, number in track.place(by: anchor, number: number) }
        }
    }

    /// Returns when the sound can be cut, at `instant` or a little later: a listener whose sound card already has the
    /// next song's beginning knows no more of the song before it, so a cut shortly before a joint moves behind it.
    func cutInstant(notBefore instant: SessionTime) -> SessionTime {
        guard heard.cutFrame == nil, let joint = coming.first(where: { !$0.isVoid })?.start, joint > instant,
            joint - instant < BroadcastLimits.jointGuard
        else { return instant }
        return joint + BroadcastLimits.cutFade
    }

    /// Ends the sound of the epoch that is heard at `instant`, for now, and drops what stands behind it.
    /// - Returns: what was dropped, in order.
    mutating func cut(at instant: SessionTime) -> [BroadcastTrack] {
        let index = indexOfSound(at: instant)
        let dropped = Array(tracks[(index + 1)...])
        coming.removeLast(dropped.count)
        let track = tracks[index]
        let frame = track.anchor.map { anchor in
            // A live source's anchor names a frame that is due later.
            let first = track.follower.isLive ? track.firstFrame : anchor.frame
            return max(first, FramePosition(Int64(saturating: anchor.position(at: instant).frames.rounded())))
        }
        // What its source has not delivered in time was not heard.
        let bounds = [track.song.end, track.follower.heldFrame].compactMap(\.self)
        let cutFrame = bounds.reduce(frame ?? track.cutFrame ?? track.firstFrame, min)
        change(track.epoch) { $0.cut(at: cutFrame, by: instant, number: $1) }
        return dropped
    }

    /// The epoch that sounds at `instant` or, if that was cut for a jump, the target of the jump: it stays the target
    /// though it has not begun.
    private func indexOfSound(at instant: SessionTime) -> Int {
        target(of: tracks.lastIndex { $0.start.map { $0 <= instant } ?? false } ?? 0)
    }

    /// Where the programme goes on if the epoch at this index was cut.
    private func target(of index: Int) -> Int {
        guard tracks[index].cutFrame != nil else { return index }
        let behind = tracks.indices[(index + 1)...].filter { !tracks[$0].isVoid }
        return behind.first { tracks[$0].cutFrame == nil } ?? behind.last ?? index
    }

    /// Whether a command's target stands behind the epoch that is heard.
    var leadsElsewhere: Bool { coming.contains { $0.isCommanded && !$0.isVoid } }

    /// Makes void an epoch that is to come, and those behind it: nothing of them is heard. They stay on the timeline
    /// until something else is heard, so that listeners are told.
    /// - Returns: what they were before.
    mutating func void(from epoch: Epoch) -> [BroadcastTrack] {
        let dropped = coming.filter { $0.epoch >= epoch && !$0.isVoid }
        for track in dropped { change(track.epoch) { $0.void(number: $1) } }
        return dropped
    }

    /// Puts a song behind all others. It follows naturally if the last one's end is known, and was not cut.
    mutating func append(_ track: BroadcastTrack) {
        let former = last.epoch
        coming.append(track)
        follow(former)
    }

    /// Moves to the next epoch once it is due.
    /// - Returns: the epoch that is over; nil if none is.
    mutating func advance(to session: SessionTime) -> Epoch? {
        guard let index = coming.firstIndex(where: { !$0.isVoid }) else { return nil }
        let next = coming[index]
        // One that was cut before it was placed has no start: it comes once the sound before it is over.
        let isBehindCut = next.cutFrame != nil && heard.cutFrame != nil
        guard let start = next.start ?? (isBehindCut ? heard.cutInstant ?? session : nil), start <= session else {
            return nil
        }
        defer {
            heard = next
            coming.removeFirst(index + 1)
        }
        return heard.epoch
    }

    // MARK: Changing one epoch

    /// Changes an epoch; nil if it is not on the timeline.
    mutating func with<Result>(_ epoch: Epoch, _ body: (inout BroadcastTrack) -> Result) -> Result? {
        if heard.epoch == epoch { return body(&heard) }
        guard let index = coming.firstIndex(where: { $0.epoch == epoch }) else { return nil }
        return body(&coming[index])
    }

    private mutating func change(_ epoch: Epoch, _ body: (inout BroadcastTrack, Int) -> Void) {
        placementCount += 1
        let number = placementCount
        _ = with(epoch) { body(&$0, number) }
    }
}
