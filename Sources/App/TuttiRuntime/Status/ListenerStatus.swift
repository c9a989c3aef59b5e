import AudioCore
import WireProtocol

/// A snapshot of a listener, for its own display or its broadcaster's.
public struct ListenerStatus: Hashable, Sendable {
    public typealias State = ListenerState

    public var name: String
    public var state: State
    /// Song time held ahead of what is heard.
    public var buffered: TimeSpan
    /// The least decoded song that was ready since the song began to sound; nil if unknown.
    public var lowWater: TimeSpan?
    /// Nil until clock and sound card are known.
    public var timing: ListenerTiming?
    public var counters: ListenerCounters
    /// For a listener's own display: how its loudspeakers play.
    public var loudspeakers: LoudspeakerSettings?
    /// For a listener's own display: the highest volume that its loudspeakers may have now.
    public var ceiling = VolumeCeiling.none
    /// For a listener's own display: the title of what plays next; nil if nothing does.
    public var next: String?
    /// For a listener's own display: in which order the broadcast's items follow one another; nil while it is in none.
    public var modes: PlayModes?
    /// For a broadcaster's listener: whether it lacks a decoder for the song and is sent linear PCM.
    public var isSentPCM = false
    /// For a listener's own display: whether it has a file instead of loudspeakers.
    public var isRecorder = false

    public init(
        name: String, state: State, buffered: TimeSpan, lowWater: TimeSpan? = nil, timing: ListenerTiming?,
        counters: ListenerCounters = ListenerCounters()
    ) {
        self.name = name
        self.state = state
        self.buffered = buffered
        self.lowWater = lowWater
        self.timing = timing
        self.counters = counters
    }
}
