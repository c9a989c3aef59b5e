import WireProtocol
import AudioCore

/// What a listener shows of itself, and a broadcaster of each of its listeners.
public struct ListenerStatus: Hashable, Sendable {
    public typealias State = ListenerState

    public var name: String
    public var state: State
    /// Song time held ahead of what is heard.
    public var buffered: TimeSpan
    /// The least decoded song that was ready since the song began to sound; nil where it is not known.
    public var lowWater: TimeSpan?
    /// Nil until clock and sound card are known.
    public var timing: ListenerTiming?
    public var counters: ListenerCounters
    /// Of a broadcaster's listener: it lacks a decoder for the song, and is sent linear PCM.
    public var isSentPCM = false
    /// Of a listener that shows itself: it has no loudspeakers, but a file.
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
