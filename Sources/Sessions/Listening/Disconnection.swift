import AudioCore
import Peering
import WireProtocol

/// The last broadcaster that was lost: whether the listener waits for it, whether the user was told, and how much of
/// the song the outage cost.
///
///     none ──lost──▶ away ──it was joined again──▶ returned ──it said where its song goes on──▶ none
///                     │ ▲                              │
///                     │ └────────────lost──────────────┘
///                     └──another was joined──▶ none
struct Disconnection {
    /// How far the broadcaster's song had come.
    struct Place: Hashable {
        var epoch: Epoch
        /// The frame after the last one received.
        var received: FramePosition
    }

    /// How a joined broadcaster relates to the lost one.
    enum Arrival: Hashable {
        /// It is not the lost one.
        case new
        case back(after: TimeSpan)
        /// Another connection replaced one that ended, before the user was told of a loss.
        case handedOver
    }

    private enum State {
        case none
        case away(LostBroadcaster)
        case returned(PeerProcess, Place)
    }

    private struct LostBroadcaster {
        let broadcaster: Greeting
        let since: HostTime
        var isTold = false
        /// Nil if its song had not begun.
        var place: Place?
    }

    private var state = State.none

    /// Notes that a broadcaster is gone.
    mutating func lose(_ broadcaster: Greeting, at place: Place?, now: HostTime) {
        var lost = LostBroadcaster(broadcaster: broadcaster, since: now, place: place)
        if place == nil, case .returned(broadcaster.process, let before) = state { lost.place = before }
        state = .away(lost)
    }

    /// Returns whether this is the lost broadcaster, or its successor on the same machine.
    func awaits(_ greeting: Greeting) -> Bool {
        guard case .away(let lost) = state else { return false }
        return lost.broadcaster.peer == greeting.peer && lost.broadcaster.name == greeting.name
    }

    /// Returns whether to tell the user of the loss now: no replacement connection has come within the handover time.
    func shouldReportLoss(now: HostTime) -> Bool {
        guard case .away(let lost) = state else { return false }
        return !lost.isTold && now - lost.since > PeeringLimits.handoverTime
    }

    /// Notes that the user was told.
    mutating func noteTold() {
        guard case .away(var lost) = state else { return }
        lost.isTold = true
        state = .away(lost)
    }

    /// Joins a broadcaster, which ends the wait for any other.
    mutating func join(_ greeting: Greeting, now: HostTime) -> Arrival {
        defer { state = returned(greeting) }
        guard case .away(let lost) = state, lost.broadcaster.process == greeting.process else { return .new }
        return lost.isTold ? .back(after: now - lost.since) : .handedOver
    }

    private func returned(_ greeting: Greeting) -> State {
        guard case .away(let lost) = state, lost.broadcaster.process == greeting.process,
            let place = lost.place
        else { return .none }
        return .returned(greeting.process, place)
    }

    /// Notes that the broadcaster goes on with this frame.
    /// - Returns: the number of frames missing before it; nil if none are.
    mutating func goOn(at frame: FramePosition, of epoch: Epoch) -> Int64? {
        guard case .returned(_, let place) = state else { return nil }
        state = .none
        guard place.epoch == epoch, frame > place.received else { return nil }
        return frame - place.received
    }
}
