import AudioCore
import ClockSync
import WireProtocol

/// What a listener knows of its broadcaster's clock, and the exchange that it asks by.
///
///                    ┌──────── an estimate by UDP ────────▶ known by datagrams
///     unknown, void ─┤                                         │        ▲
///                    │                       worth more than that      as good as that
///                    │                                         ▼        │
///                    └─ one over the connection ──────────▶ known over the connection
///
///     from any: ──this machine slept──▶ void        ──the broadcast is over, or another is joined──▶ unknown
///
/// An exchange is under way from a broadcaster's welcome to the end of its connection. Without one what is known is
/// extrapolated; with one UDP is asked all the while by others, and the connection where UDP is silent. Owns no socket
/// and reads no clock.
struct ListenerClock {
    /// How an estimate came.
    enum Path: Hashable, Sendable {
        /// UDP.
        case datagrams
        /// The broadcast's own connection, where UDP is stopped.
        case connection
    }

    /// What became of an answer.
    enum Change: Hashable {
        /// It is not used.
        case nothing
        case estimate
        /// The clock is known by this path now, and was by the other; or by none, where it is not UDP.
        case path(Path)
    }

    private enum State {
        case unknown
        /// This machine slept, and woke then: what was known before holds no longer.
        case void(since: HostTime)
        case known(ClockEstimate, Path)
    }

    private struct Exchange {
        let peer: UUIDBytes
        var gate = ClockEstimateGate()
        /// The clock as it was known before the exchange, until that knows it better.
        var before: ClockEstimate?
        /// The other way to ask, where UDP does not get through.
        var stream: StreamClock
    }

    /// The broadcaster whose clock was known last. A connection that breaks changes no crystal.
    private struct LastPeer {
        let peer: UUIDBytes
        var rate: SkewPrior
        /// Nil once this machine slept.
        var estimate: ClockEstimate?
    }

    private var state = State.unknown
    private var exchange: Exchange?
    private var last: LastPeer?

    /// Nil while the broadcaster's time is not known.
    var estimate: ClockEstimate? { if case .known(let estimate, _) = state { estimate } else { nil } }

    /// Whether the broadcaster's time is not known again since this machine slept.
    var isVoid: Bool { if case .void = state { true } else { false } }

    /// Whether an exchange is under way.
    var isExchanging: Bool { exchange != nil }

    // MARK: From welcome to end

    /// An exchange begins.
    /// - Returns: how fast this peer's clock runs, where it was met before: for the exchange over UDP as well.
    mutating func begin(_ key: ClockKey, of peer: UUIDBytes, now: HostTime) -> SkewPrior? {
        let known = last?.peer == peer ? last : nil
        exchange = Exchange(
            peer: peer, before: known?.estimate, stream: StreamClock(key: key, prior: known?.rate ?? .unknown, now: now)
        )
        return known?.rate
    }

    /// The connection is gone: what is known is extrapolated.
    mutating func end() { exchange = nil }

    /// What comes is another broadcast, or none.
    mutating func forget() {
        state = .unknown
        exchange = nil
    }

    /// This machine slept, and its clock did not move: nothing that was known of the broadcaster's holds any more.
    mutating func noteSleep(now: HostTime) {
        state = .void(since: now)
        last?.estimate = nil
        exchange?.gate = ClockEstimateGate()
        exchange?.before = nil
        exchange?.stream.startAnew(now: now)
    }

    // MARK: Answers

    /// UDP brought an estimate. One over the connection goes on until this is as good.
    /// - Parameter anchor: the song's, once its instant is known.
    mutating func learn(_ estimate: ClockEstimate, anchor: Anchor?, now: HostTime) -> Change {
        // One from before the sleep, or of an exchange that is over, may have waited to be told.
        if case .void(let since) = state, estimate.mapping.host < since { return .nothing }
        guard exchange != nil else { return .nothing }
        exchange?.stream.noteDatagram(now: now)
        let untilStart = anchor?.timeUntilStart(estimate, now)
        guard exchange?.gate.passes(estimate, untilStart: untilStart, now: now) == true else { return .nothing }
        let estimate = better(of: estimate, now)
        if case .known(let held, .connection) = state, estimate.errorBound(at: now) > held.errorBound(at: now) {
            return .nothing
        }
        exchange?.stream.rest()
        return use(estimate, .datagrams)
    }

    /// The request over the connection that is due, if UDP has been silent for too long.
    mutating func poll(now: HostTime) -> ClockClient.Request? { exchange?.stream.poll(now: now) }

    /// That request was handed to the socket then.
    mutating func didSend(sequence: UInt32, at transmit: HostTime) {
        exchange?.stream.didSend(sequence: sequence, at: transmit)
    }

    /// A reply over the connection.
    /// - Parameter anchor: the song's, once its instant is known.
    mutating func receive(_ datagram: [UInt8], anchor: Anchor?, now: HostTime) -> Change {
        guard let estimate = exchange?.stream.receive(datagram, anchor: anchor, at: now), isWorthMore(estimate, now)
        else { return .nothing }
        return use(estimate, .connection)
    }

    private mutating func use(_ estimate: ClockEstimate, _ path: Path) -> Change {
        let before: Path = if case .known(_, let path) = state { path } else { .datagrams }
        state = .known(estimate, path)
        if let peer = exchange?.peer {
            last = LastPeer(peer: peer, rate: SkewPrior(estimate), estimate: estimate)
        }
        return path == before ? .estimate : .path(path)
    }

    /// Of what the exchange under way knows and what was known before it, whichever is known better: on a congested link
    /// a new exchange is off by half of what stands in one direction's queue. What it excludes was another clock's: that
    /// of a machine before it was started anew, say.
    private mutating func better(of estimate: ClockEstimate, _ now: HostTime) -> ClockEstimate {
        guard let before = exchange?.before else { return estimate }
        let age = (now - before.mapping.host).magnitude
        let bound = before.errorBound(at: now) + age * (ListenLimits.crystalWander.value * 1e-6)
        let distance = (before.mapping.session(at: now) - estimate.mapping.session(at: now)).magnitude
        guard bound < estimate.errorBound, distance <= bound + estimate.errorBound + estimate.asymmetryLimit else {
            exchange?.before = nil
            return estimate
        }
        return before
    }

    /// Whether an estimate over the connection is to replace the one that is held: one by UDP is nearer the truth for a
    /// while after UDP fell silent, unless the clock has stepped since.
    private func isWorthMore(_ estimate: ClockEstimate, _ now: HostTime) -> Bool {
        guard case .known(let held, .datagrams) = state,
            now - held.mapping.host < ListenLimits.longestExtrapolation
        else { return true }
        let bounds = (held: held.errorBound(at: now), new: estimate.errorBound(at: now))
        if bounds.new < bounds.held { return true }
        let distance = (estimate.mapping.session(at: now) - held.mapping.session(at: now)).magnitude
        return distance > bounds.held + bounds.new
    }
}
