import AudioCore
import Programmes
import WireProtocol

/// What becomes of songs that were opened ahead, and that a command drops before anything of them was heard.
extension BroadcastSession {
    /// Lets go of songs that are not heard now. Those that could not be opened again wait; all others are closed.
    mutating func drop(_ tracks: [BroadcastTrack]) {
        // The source of a void track was dealt with when it became void.
        for track in tracks where !track.isVoid {
            if !ParkedSongs.mustHold(track) {
                actions.append(.closeSource(track.epoch))
            } else if let former = parked.park(track) {
                actions.append(.closeSource(former))
            }
        }
    }

    /// Makes the song that stands behind the one that is heard wait, because somebody asks for that very song: its
    /// source could not be opened a second time.
    mutating func parkComing(_ item: ItemID, _ now: HostTime) {
        guard let next = timeline.coming.first(where: { $0.item == item && !$0.isVoid && !$0.isFurtherSong }),
            ParkedSongs.mustHold(next), !isDueSoon(next, now)
        else { return }
        drop(timeline.void(from: next.epoch))
    }

    /// Returns an item's song if it waits.
    mutating func takeUp(_ item: ItemID, _ origin: BroadcastTrack.Origin) -> BroadcastTrack? {
        parked.take { $0.item == item && !$0.isFurtherSong }.map { takeUp($0, origin) }
    }

    /// Returns the next song of the source that a song came from if it waits.
    mutating func takeUpNextSong(
        of track: BroadcastTrack, _ origin: BroadcastTrack.Origin
    ) -> BroadcastTrack? {
        parked.take { $0.origin == .sameSource(as: track.epoch) }.map { takeUp($0, origin) }
    }

    private mutating func takeUp(_ track: BroadcastTrack, _ origin: BroadcastTrack.Origin) -> BroadcastTrack {
        lastEpoch = lastEpoch.next
        actions.append(.openSource(SourceRequest(epoch: lastEpoch, origin: .sameSong(as: track.epoch))))
        parked.follow(track.epoch, takenUpAs: lastEpoch)
        return BroadcastTrack(lastEpoch, configuration, takingUp: track, origin: origin)
    }

    /// Closes a song that waits.
    mutating func closeParked(_ epoch: Epoch) {
        if parked.take(where: { $0.epoch == epoch }) != nil { actions.append(.closeSource(epoch)) }
    }

    /// Closes what waits in the same source behind a song.
    mutating func closeParked(behind epoch: Epoch) {
        for epoch in parked.removeAll(where: { $0.origin == .sameSource(as: epoch) }) {
            actions.append(.closeSource(epoch))
        }
    }

    /// Closes what waits if its item was removed, or the song before it in the same source is no longer held.
    mutating func closeUnwantedParked() {
        let held = Set(timeline.tracks.map(\.epoch) + parked.epochs + [opening.track?.epoch].compactMap(\.self))
        let epochs = parked.removeAll { track in
            if case .sameSource(let former) = track.origin, !held.contains(former) { return true }
            return track.item.map { programme.location(of: $0) == nil } ?? true
        }
        for epoch in epochs { actions.append(.closeSource(epoch)) }
    }
}
