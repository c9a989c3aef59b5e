/// How far a listener has come with a broadcast.
public enum ListenerState: String, CaseIterable, Hashable, Sendable {
    case connecting
    /// Connected; clock or sound card not yet known well enough to start exactly.
    case preparing
    /// Holds packets, and waits for its first frame to be due.
    case ready
    case playing
    /// Out of packets: silent until it can re-enter in step.
    case starving
    case finished
}
