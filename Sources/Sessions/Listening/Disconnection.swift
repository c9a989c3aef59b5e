import AudioCore
import Peering
import WireProtocol

/// The broadcaster that was lost last: whether it is waited for, who was told of it, and how much of its song the time
/// without it cost.
///
///     none ──lost──▶ away ──it was joined again──▶ returned ──it said where its song goes on──▶ none
///                     │ ▲                              │
///                     │ └────────────lost──────────────┘
///                     └──another was joined──▶ none
struct Disconnection {
    /// How far its song had come.
    struct Place: Hashable {
        var epoch: Epoch
        /// The frame after the last one received.
        var received: FramePosition
    }

    /// How a broadcaster that is joined was known.
    enum Arrival: Hashable {
        /// It was not lost.
        case new
        case back(after: TimeSpan)
        /// Another connection goes on for one that ended, before anybody was told of a loss.
        case handedOver
    }

    private enum State {
        case none
        case away(Loss)
        case returned(instance: UInt64, Place)
    }

    private struct Loss {
        let broadcaster: Greeting
        let since: HostTime
        var isTold = false
        /// Nil where its song had not begun.
        var place: Place?
    }

    private var state = State.none

    /// A broadcaster is gone.
    mutating func lose(_ broadcaster: Greeting, at place: Place?, now: HostTime) {
        var loss = Loss(broadcaster: broadcaster, since: now, place: place)
        if place == nil, case .returned(broadcaster.instance, let before) = state { loss.place = before }
        state = .away(loss)
    }

    /// Whether this is the one that is waited for, or its successor on the same machine.
    func awaits(_ greeting: Greeting) -> Bool {
        guard case .away(let loss) = state else { return false }
        return loss.broadcaster.peer == greeting.peer && loss.broadcaster.name == greeting.name
    }

    /// Whether the loss is still to be told, as another connection that was to go on has not come in all this time.
    func isTellingDue(now: HostTime) -> Bool {
        guard case .away(let loss) = state else { return false }
        return !loss.isTold && now - loss.since > PeeringLimits.handoverTime
    }

    /// The user was told.
    mutating func noteTold() {
        guard case .away(var loss) = state else { return }
        loss.isTold = true
        state = .away(loss)
    }

    /// A broadcaster is joined: nobody is waited for.
    mutating func join(_ greeting: Greeting, now: HostTime) -> Arrival {
        defer { state = returned(greeting) }
        guard case .away(let loss) = state, loss.broadcaster.instance == greeting.instance else { return .new }
        return loss.isTold ? .back(after: now - loss.since) : .handedOver
    }

    private func returned(_ greeting: Greeting) -> State {
        guard case .away(let loss) = state, loss.broadcaster.instance == greeting.instance,
            let place = loss.place
        else { return .none }
        return .returned(instance: greeting.instance, place)
    }

    /// The broadcaster goes on with this frame.
    /// - Returns: the frames that lack before it; nil where none do.
    mutating func goOn(at frame: FramePosition, of epoch: Epoch) -> Int64? {
        guard case .returned(_, let place) = state else { return nil }
        state = .none
        guard place.epoch == epoch, frame > place.received else { return nil }
        return frame - place.received
    }
}
