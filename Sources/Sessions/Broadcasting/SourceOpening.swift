import AudioCore

/// The song that a broadcast is opening: the one that follows naturally, or the target of a jump.
///
///     none ──the last song was read to its end──▶ following ──it can be played──▶ none
///       └──a command──▶ jumping ──it can be played──▶ none
///
/// A jump replaces whatever is being opened.
enum SourceOpening {
    case none
    case following(BroadcastTrack)
    case jumping(BroadcastTrack, since: HostTime)

    var track: BroadcastTrack? {
        switch self {
        case .none: nil
        case .following(let track), .jumping(let track, _): track
        }
    }

    /// The target of a jump.
    var target: BroadcastTrack? { if case .jumping(let track, _) = self { track } else { nil } }

    /// Changes the song in place.
    mutating func change<Result>(_ body: (inout BroadcastTrack) -> Result) -> Result? {
        switch self {
        case .none: return nil
        case .following(var track):
            self = .none
            defer { self = .following(track) }
            return body(&track)
        case .jumping(var track, let since):
            self = .none
            defer { self = .jumping(track, since: since) }
            return body(&track)
        }
    }

    /// Returns the epoch if more of it should be read.
    mutating func wantsMore(within lead: TimeSpan) -> Epoch? {
        let epoch = change { track -> Epoch? in
            let wanted = track.firstFrame + track.song.frames(in: lead)
            return track.song.keep(from: track.firstFrame, upTo: wanted) ? track.epoch : nil
        }
        return epoch ?? nil
    }
}
