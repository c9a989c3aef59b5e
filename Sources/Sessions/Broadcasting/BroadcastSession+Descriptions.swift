import AudioCore
import ClockSync
import Programmes
import WireProtocol

/// What the songs of the queue are called, before they play: they are asked one after another, those first that play
/// next. What a song says when it is opened stands; whether there is a picture, in it or beside it, is asked
/// nevertheless.
extension BroadcastSession {
    /// Asks one more song, unless something that is to be heard waits for a disk.
    mutating func describeNext(_ now: HostTime) {
        guard descriptions.mayBegin(now), isFreeToDescribe(now), let (item, location) = programme.takeUndescribed()
        else { return }
        descriptions.begin(item, now)
        actions.append(.describe(item, location))
    }

    private func isFreeToDescribe(_ now: HostTime) -> Bool {
        guard opening.track == nil else { return false }
        switch phase {
        case .idle: return true
        case .opening, .waiting, .over: return false
        case .playing: return isSilenced || timeline.heard.hasBegun(by: ClockMapping.identity.session(at: now))
        }
    }

    /// Takes what a song says of itself; nil if it says nothing.
    mutating func take(_ description: ItemDescription?, of item: ItemID, _ now: HostTime) {
        if descriptions.end(item), let description {
            let known = programme.item(item)
            programme.note(description, of: item)
            if programme.item(item) != known {
                note(item: item, now)
                if item == programme.following { actions.append(.changed) }
            }
        }
        describeNext(now)
    }

    /// Takes what an item says of itself once its first song is open.
    mutating func noteDescription(of epoch: Epoch, _ now: HostTime) {
        guard let track = trackHeld(epoch), track.song.isReady, track.songsBefore == 0, let item = track.item else {
            return
        }
        let (song, known) = (track.song, programme.item(item))
        let description = ItemDescription(
            title: song.title, artist: song.summary.info[.artist], album: song.summary.info[.album],
            duration: track.isLive ? nil : song.duration)
        programme.note(description, ofOpened: item, isPart: song.isFollowed)
        if programme.item(item) != known { note(item: item, now) }
    }
}
