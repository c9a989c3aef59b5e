import AudioCore

/// Songs that were opened and dropped before anything of them was heard, and whose sources cannot be opened again at
/// the same place: standard input, a FIFO, or a song in the middle of a source. They wait as they were read, and are
/// taken up from there.
///
/// An item's song stands for its beginning. That may be a further song of its source, which took the place of a first
/// one that cannot be played; one in which somebody sought a place never does, and is not kept.
struct ParkedSongs {
    /// The most songs that wait.
    static let countLimit = 8

    /// Oldest first.
    private var tracks: [BroadcastTrack] = []

    /// Whether a song must wait that is dropped unheard.
    static func mustHold(_ track: BroadcastTrack) -> Bool {
        !track.isLive && (track.isFurtherSong || !track.isSeekable) && track.origin != .sought
            && track.firstFrame == .zero && track.song.log.startIndex == 0
    }

    var epochs: [Epoch] { tracks.map(\.epoch) }

    func holds(_ epoch: Epoch) -> Bool { tracks.contains { $0.epoch == epoch } }

    /// - Returns: what must go to make room; nil if nothing must.
    mutating func park(_ track: BroadcastTrack) -> Epoch? {
        tracks.append(track)
        return tracks.count > Self.countLimit ? tracks.removeFirst().epoch : nil
    }

    /// Returns the first that fits, which waits no longer; nil if none does.
    mutating func take(where isWanted: (BroadcastTrack) -> Bool) -> BroadcastTrack? {
        tracks.firstIndex(where: isWanted).map { tracks.remove(at: $0) }
    }

    /// - Returns: the epochs of those that went.
    mutating func removeAll(where isUnwanted: (BroadcastTrack) -> Bool) -> [Epoch] {
        let epochs = tracks.filter(isUnwanted).map(\.epoch)
        tracks.removeAll(where: isUnwanted)
        return epochs
    }

    /// The song of this epoch was taken up as another: what comes behind it in its source comes behind that.
    mutating func follow(_ former: Epoch, takenUpAs epoch: Epoch) {
        for index in tracks.indices where tracks[index].origin == .sameSource(as: former) {
            tracks[index].origin = .sameSource(as: epoch)
        }
    }

    /// Changes one; nil if it does not wait.
    mutating func with<Result>(_ epoch: Epoch, _ body: (inout BroadcastTrack) -> Result) -> Result? {
        tracks.firstIndex { $0.epoch == epoch }.map { body(&tracks[$0]) }
    }
}
