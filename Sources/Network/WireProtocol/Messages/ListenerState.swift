/// How far a listener has got with a broadcast.
public enum ListenerState: String, CaseIterable, Hashable, Sendable {
    case connecting
    /// Connected; clock or sound card not yet known well enough for an exact start.
    case preparing
    /// Holds packets and waits until its first frame is due.
    case ready
    case playing
    /// Out of packets: silent until it can re-enter in step.
    case starving
    case finished
    /// Silent because the broadcast is paused: holds packets, and goes on with the next frame.
    case paused
}

extension ListenerState {
    private static let coded: [ListenerState] = [
        .connecting, .preparing, .ready, .playing, .starving, .finished, .paused,
    ]

    /// Its number in messages.
    var code: UInt8 { UInt8(Self.coded.firstIndex(of: self) ?? 0) }

    init?(code: UInt8) {
        guard Int(code) < Self.coded.count else { return nil }
        self = Self.coded[Int(code)]
    }
}
