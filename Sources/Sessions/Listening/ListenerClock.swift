import AudioCore
import ClockSync
import Peering
import WireProtocol

/// What a listener knows of its broadcaster's clock, and the exchange that measures it.
///
///                    ┌──────── an estimate by UDP ────────▶ known by datagrams
///     unknown, void ─┤                                         │        ▲
///                    │                       worth more than that      as good as that
///                    │                                         ▼        │
///                    └─ one over the connection ──────────▶ known over the connection
///
///     from any: ──this machine slept──▶ void        ──the broadcast is over, or another is joined──▶ unknown
///
/// An exchange lasts from a broadcaster's welcome, which may come before it is chosen, to the end of its connection.
/// Without one, what is known is extrapolated. During one, UDP is asked all the while (by another type), and the
/// connection while UDP is silent. Owns no socket and reads no clock.
struct ListenerClock {
    /// The path by which an estimate came.
    enum Path: Hashable, Sendable {
        /// UDP.
        case datagrams
        /// The broadcast's own connection, where UDP is blocked.
        case connection
    }

    /// What an answer changed.
    enum Change: Hashable {
        /// Nothing: the answer is not used.
        case nothing
        case estimate
        /// The clock is now known by this path. It was known by the other, or was unknown and this is not UDP.
        case path(Path)
    }

    private enum State {
        case unknown
        /// This machine slept and woke at `since`: what was known before is void.
        case void(since: HostTime)
        case known(ClockEstimate, Path)
    }

    private struct Exchange {
        let connection: ConnectionID
        let peer: UUIDBytes
        var gate = ClockEstimateGate()
        /// The estimate from before the exchange, until the exchange has a better one.
        var before: ClockEstimate?
        /// The exchange over the connection, where UDP does not get through.
        var stream: StreamClock
    }

    /// The broadcaster whose clock was known last. A broken connection changes no crystal.
    private struct LastPeer {
        let peer: UUIDBytes
        var rate: SkewPrior
        /// Nil once this machine has slept.
        var estimate: ClockEstimate?
    }

    private var state = State.unknown
    private var exchange: Exchange?
    private var last: LastPeer?

    /// The estimate in force; nil while the broadcaster's time is unknown.
    var estimate: ClockEstimate? { if case .known(let estimate, _) = state { estimate } else { nil } }

    /// Whether this machine slept and the broadcaster's time is still unknown.
    var isVoid: Bool { if case .void = state { true } else { false } }

    /// The connection whose broadcaster's clock is asked; nil without an exchange.
    var connection: ConnectionID? { exchange?.connection }

    // MARK: From welcome to end

    /// Begins an exchange.
    /// - Returns: the rate of this peer's clock if it was met before, for the exchange over UDP.
    mutating func begin(
        _ key: ClockKey, of peer: UUIDBytes, over connection: ConnectionID, now: HostTime
    ) -> SkewPrior? {
        let known = last?.peer == peer ? last : nil
        exchange = Exchange(
            connection: connection, peer: peer, before: known?.estimate,
            stream: StreamClock(key: key, prior: known?.rate ?? .unknown, now: now))
        return known?.rate
    }

    /// Ends the exchange, as the connection is gone; what is known is extrapolated.
    mutating func end() { exchange = nil }

    /// Forgets the clock: what comes next is another broadcast, or none.
    mutating func forget() {
        state = .unknown
        exchange = nil
    }

    /// Notes that this machine slept with its clock stopped: nothing known of the broadcaster's clock holds any more.
    mutating func noteSleep(now: HostTime) {
        state = .void(since: now)
        last?.estimate = nil
        exchange?.gate = ClockEstimateGate()
        exchange?.before = nil
        exchange?.stream.startAnew(now: now)
    }

    // MARK: Answers

    /// Takes an estimate by UDP. An exchange over the connection goes on until UDP is as good.
    /// - Parameter anchor: the song's, once its start is decided.
    mutating func learn(_ estimate: ClockEstimate, anchor: Anchor?, now: HostTime) -> Change {
        // It may have been queued since before the sleep, or since an exchange that is over.
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

    /// Returns the request that is due over the connection, if UDP has been silent for too long.
    mutating func poll(now: HostTime) -> ClockClient.Request? { exchange?.stream.poll(now: now) }

    /// Notes when that request was handed to the socket.
    mutating func didSend(sequence: UInt32, at transmit: HostTime) {
        exchange?.stream.didSend(sequence: sequence, at: transmit)
    }

    /// Takes a reply over the connection.
    /// - Parameter anchor: the song's, once its start is decided.
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

    /// Returns the more accurate of the new exchange's estimate and the one from before it. On a congested link a new
    /// exchange is off by half of one direction's queue. An old estimate that the new one rules out belonged to another
    /// clock, for example the machine's before a reboot.
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

    /// Returns whether an estimate over the connection replaces the held one. For a while after UDP fell silent an
    /// estimate by UDP is more accurate, unless the clock has stepped since.
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
