import AudioCore

/// What a listener shows of itself, and a broadcaster of each of its listeners.
public struct ListenerStatus: Hashable, Sendable {
    public typealias State = ListenerState

    public var name: String
    public var state: State
    /// Song time held ahead of what is heard.
    public var buffered: TimeSpan
    /// Nil until clock and sound card are known.
    public var timing: ListenerTiming?
    public var counters: ListenerCounters

    public init(
        name: String, state: State, buffered: TimeSpan, timing: ListenerTiming?,
        counters: ListenerCounters = ListenerCounters()
    ) {
        self.name = name
        self.state = state
        self.buffered = buffered
        self.timing = timing
        self.counters = counters
    }
}
