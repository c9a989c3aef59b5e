import AudioCore
import Programmes
import WireProtocol

/// For display.
extension BroadcastSession {
    /// How many songs the programme has, as far as is known.
    public var songCount: Int { programme.itemCount + furtherSongCount }

    /// Whether it sounds, by what was commanded.
    public var transport: TransportState { programme.transport }

    /// Where the broadcaster gets the song that is heard, or was last; nil if it is not in the queue any more.
    public var location: ItemLocation? { timeline.heard.item.flatMap { programme.location(of: $0) } }

    /// The title of what plays after the current item; nil if the programme ends then.
    public var nextTitle: String? { programme.following.flatMap { programme.item($0)?.title } }

    /// In which order the items follow one another.
    public var modes: PlayModes { programme.modes }

    /// The volume that all listeners' own volumes are scaled by.
    public var volume: VolumeSetting { groupVolume }

    /// What is known of the song.
    public var summary: AudioStreamSummary { song.summary }

    /// The frame after the last audible one, once the song was read to its end.
    public var end: FramePosition? { song.end }

    /// Where the song ends, as far as it is known.
    public var length: FramePosition? { song.length }

    /// Whether the last song was read to its end.
    public var isFinishing: Bool {
        song.end != nil && timeline.comingCount == 0 && opening.track == nil && programme.following == nil
    }

    /// Whether the start was decided.
    public var isPlaying: Bool { if case .playing = phase { true } else { false } }

    /// The anchor in force; nil before the start was decided, while the sound is cut, and after the end.
    public var anchor: Anchor? { if case .playing = phase { timeline.heard.anchor } else { nil } }

    /// Returns the frame that is due now, within the song.
    public func playPosition(_ now: HostTime) -> FramePosition {
        min(max(position(now), .zero), end ?? FramePosition(.max))
    }

    /// Whether there is a listener that is fed.
    public var hasMembers: Bool { connections.links.contains(where: \.isMember) }

    /// The listeners that are fed, longest connected first.
    public var listeners: [ListenerView] {
        connections.links.filter(\.isMember).map {
            ListenerView(name: $0.connection.name, report: $0.report, isSentPCM: $0.form(for: song.codec) == .linearPCM)
        }
    }

    /// Whether enough listeners were ready, one at least, when all were last looked at before the start.
    public var hasEnoughReady: Bool { startDecision.hasEnoughReady }

    /// How many listeners could start now, and how many are wanted.
    public var readiness: (ready: Int, wanted: Int) {
        (connections.links.count(where: \.isReady), wantedListenerCount)
    }
}
