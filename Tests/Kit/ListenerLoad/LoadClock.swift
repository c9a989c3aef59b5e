import AudioCore
import ClockSync

/// A listener's clock exchange: a real one's (``FittedClock``), or one that asks as a real one does and computes less
/// (``MidpointClock``).
///
/// To fit the exchanges of thousands of listeners takes more of one core than all else that a load does, and says
/// nothing of the broadcaster.
protocol LoadClock {
    /// When to call ``poll(now:)`` next; nil: at once.
    var nextDeadline: HostTime? { get }
    /// Nil until enough exchanges are complete.
    var estimate: ClockEstimate? { get }
    var exchanges: ClockExchanges { get }

    /// Returns the request that is due at `now`, if any.
    mutating func poll(now: HostTime) -> LoadClockRequest?
    /// Improves the transmit time of a request.
    mutating func didSend(sequence: UInt32, at transmit: HostTime)
    /// Takes a datagram that arrived at `now`.
    mutating func receive(_ bytes: [UInt8], at now: HostTime)
}

/// What is to be sent.
struct LoadClockRequest {
    var sequence: UInt32
    var bytes: [UInt8]
}

/// Computes what a real listener does.
struct FittedClock: LoadClock {
    private var client: ClockClient

    init(key: ClockKey) { client = ClockClient(key: key, seed: .random(in: .min ... .max)) }

    var nextDeadline: HostTime? { client.nextDeadline }
    var estimate: ClockEstimate? { client.estimate }
    var exchanges: ClockExchanges { ClockExchanges(client.statistics) }

    mutating func poll(now: HostTime) -> LoadClockRequest? {
        client.poll(now: now).map { LoadClockRequest(sequence: $0.sequence, bytes: $0.bytes) }
    }

    mutating func didSend(sequence: UInt32, at transmit: HostTime) { client.didSend(sequence: sequence, at: transmit) }

    mutating func receive(_ bytes: [UInt8], at now: HostTime) { _ = client.receive(bytes, at: now) }
}

/// Asks as `ClockClient` does on a wire among many, and takes the midpoint of the fastest exchange so far.
struct MidpointClock: LoadClock {
    private static let shortestGap = TimeSpan.milliseconds(2)
    private static let growth = 0.05
    /// As long as the broadcaster names none.
    private static let steadyGap = TimeSpan.milliseconds(250)
    /// A later reply is lost.
    private static let patience = TimeSpan.seconds(1)

    private let key: ClockKey
    private(set) var nextDeadline: HostTime?
    private(set) var estimate: ClockEstimate?
    private(set) var exchanges = ClockExchanges()
    private var pending: [(sequence: UInt32, cookie: UInt64, transmit: HostTime)] = []
    private var sequence: UInt32 = 0
    private var begun: HostTime?
    private var longestGap = Self.steadyGap

    init(key: ClockKey) { self.key = key }

    mutating func poll(now: HostTime) -> LoadClockRequest? {
        if let nextDeadline, now < nextDeadline { return nil }
        let begun = begun ?? now
        self.begun = begun
        let gap = min(max((now - begun) * Self.growth, Self.shortestGap), longestGap)
        nextDeadline = now + gap * Double.random(in: 0.9...1.1)
        let late = pending.prefix { now - $0.transmit > Self.patience }.count
        pending.removeFirst(late)
        exchanges.lost += late
        exchanges.sent += 1
        sequence += 1
        let cookie = UInt64.random(in: .min ... .max)
        pending.append((sequence, cookie, now))
        let datagram = ClockDatagram(
            kind: .request, keyIdentifier: key.identifier, sequence: sequence, cookie: cookie)
        return LoadClockRequest(sequence: sequence, bytes: datagram.encoded(under: key))
    }

    /// Its requests leave as soon as they are made.
    mutating func didSend(sequence: UInt32, at transmit: HostTime) {}

    mutating func receive(_ bytes: [UInt8], at now: HostTime) {
        guard let reply = ClockDatagram(bytes, under: key), reply.kind == .reply,
            let index = pending.firstIndex(where: { $0.sequence == reply.sequence && $0.cookie == reply.cookie })
        else {
            exchanges.ignored += 1
            return
        }
        let sent = pending.remove(at: index).transmit
        exchanges.answered += 1
        longestGap = max(Self.steadyGap, min(reply.interval, Self.patience))
        let away = now - sent
        let roundTrip = away - (reply.transmit - reply.receive)
        guard estimate.map({ roundTrip < $0.roundTrip }) ?? true else { return }
        let host = sent + away * 0.5
        let session = reply.receive + (reply.transmit - reply.receive) * 0.5
        estimate = ClockEstimate(
            mapping: ClockMapping(host: host, session: session, skew: .zero), errorBound: roundTrip * 0.5,
            asymmetryLimit: roundTrip * 0.5, roundTrip: roundTrip, skewBound: SkewPrior.unknown.deviation, generation: 0
        )
    }
}
