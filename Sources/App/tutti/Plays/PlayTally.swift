import AudioCore
import TuttiRuntime

/// Tells when a song of this machine was played through: it sounded for more than half of its length, or for four
/// minutes, as scrobblers count (Last.fm's Scrobbling 2.0, "When is a scrobble a scrobble?").
///
/// A session's events go in. Between two of them a song sounded for as long as its position moved, and no longer than
/// the host's clock did: a seek adds nothing. Another song, or a return to the beginning, begins anew.
struct PlayTally {
    /// A song that plays is looked at again and again.
    fileprivate struct Song {
        let path: String
        var elapsed: TimeSpan
        var since: HostTime
        var isSounding: Bool
        /// How long it has sounded since it began.
        var heard = TimeSpan.zero
        var isCounted = false
    }

    /// Long songs count after this.
    static let enough = TimeSpan.seconds(240)
    /// Events come late by less than this. What moves a position farther than that is a seek.
    fileprivate static let tolerance = TimeSpan.seconds(1)

    private var song: Song?

    /// Takes what happens in a session. What it hears of another machine's broadcast does not count.
    /// - Returns: the path of a song that counts as played from now on, as its user named it; nil otherwise.
    mutating func take(_ event: RuntimeEvent, now: HostTime) -> String? {
        switch event {
        case .notice, .listening: return nil
        case .playing(let status): return take(status.song, isSounding: status.state == .playing, now)
        case .broadcast(let status):
            let isSounding = status.state == .playing || status.state == .finishing
            return take(status.song, isSounding: isSounding, now)
        }
    }

    private mutating func take(_ status: SongStatus?, isSounding: Bool, _ now: HostTime) -> String? {
        guard let status, let path = status.path else {
            song = nil
            return nil
        }
        let begun = Song(path: path, elapsed: status.elapsed, since: now, isSounding: isSounding)
        guard var song, song.isSame(as: path), !song.beginsAnew(at: status.elapsed, now) else {
            song = begun
            return nil
        }
        if song.isSounding { song.heard += song.progress(to: status.elapsed, now) }
        (song.elapsed, song.since, song.isSounding) = (status.elapsed, now, isSounding)
        let counts = !song.isCounted && song.isPlayed(of: status.total)
        if counts { song.isCounted = true }
        self.song = song
        return counts ? path : nil
    }
}

extension PlayTally.Song {
    /// By bytes, as file systems do.
    fileprivate func isSame(as other: String) -> Bool { path.utf8.elementsEqual(other.utf8) }

    /// Whether the position went back to where a song is that has just begun.
    fileprivate func beginsAnew(at position: TimeSpan, _ now: HostTime) -> Bool {
        position < elapsed && position <= max(.zero, now - since) + PlayTally.tolerance
    }

    /// How long it sounded on the way to a position; zero after a seek.
    fileprivate func progress(to position: TimeSpan, _ now: HostTime) -> TimeSpan {
        let (moved, passed) = (position - elapsed, max(.zero, now - since))
        return moved > passed + PlayTally.tolerance ? .zero : max(.zero, min(moved, passed))
    }

    fileprivate func isPlayed(of total: TimeSpan?) -> Bool {
        if heard >= PlayTally.enough { return true }
        guard let total, total > .zero else { return false }
        return heard.nanoseconds > total.nanoseconds / 2
    }
}
