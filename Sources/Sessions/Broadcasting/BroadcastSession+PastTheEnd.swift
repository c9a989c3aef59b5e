import AudioCore
import Programmes
import WireProtocol

/// Places that are sought past a song's end. Where its length is known, the programme goes on to the next song at once
/// (`Programme`). Of a song from a server, a link of a chain, and a file that was not measured yet it may not be known:
/// only looking for the place tells. All ends the same way then.
extension BroadcastSession {
    /// Whether a place was sought in a song that ends before it, by what was read now.
    func isPastTheEnd(_ track: BroadcastTrack) -> Bool {
        let isTarget = opening.target?.epoch == track.epoch || !isPlaying && timeline.heard.epoch == track.epoch
        return isTarget && track.endsBeforeItsFirstFrame
    }

    /// Goes on behind a song in which a place past its end was sought.
    mutating func passEnd(of track: BroadcastTrack, _ now: HostTime) {
        guard let item = track.item else { return }
        var since = now
        if case .jumping(_, let begun) = opening { since = begun }
        if case .anotherSong? = track.sourceEnd {
            tellPastTheEnd(since: since, now)
            let next = openNextSong(of: track, origin: .sought)
            actions.append(.closeSource(track.epoch))
            if isPlaying {
                opening = .jumping(next, since: now)
            } else {
                begin(with: next)
            }
            return
        }
        let effect = programme.passEnd(of: item)
        tellPastTheEnd(since: since, now)
        _ = perform(effect, now)
    }

    /// Tells whoever sought the place, with the outcome; with a notice if that may be awaited no longer.
    private mutating func tellPastTheEnd(since: HostTime, _ now: HostTime) {
        var isAwaited = false
        for index in pendingCommands.indices where pendingCommands[index].isSeek {
            pendingCommands[index].text = textPastTheEnd
            isAwaited = true
        }
        guard !isAwaited || now - since > BroadcastLimits.answerTime else { return }
        notify(.soughtPastTheEnd(isOver: programme.current == nil))
    }

    /// What is told of a seek past the song's end.
    var textPastTheEnd: String {
        programme.current == nil
            ? "that is past the end of the last song: the programme is over"
            : "that is past the song's end: the next one follows"
    }
}
