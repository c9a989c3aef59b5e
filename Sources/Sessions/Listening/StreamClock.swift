import AudioCore
import ClockSync
import Peering

/// The clock exchange over the broadcast's own connection, for networks that block UDP.
///
///     resting ──no estimate by UDP for a while──▶ asking ──an estimate by UDP was taken──▶ resting
///
/// UDP is asked all the while elsewhere; this type only learns the results. Datagrams, schedule and estimator are those
/// of UDP. The path differs: audio is queued in one direction, and either program may be busy when a message arrives.
/// So the path is never taken to be symmetric.
struct StreamClock {
    private let key: ClockKey
    private let prior: SkewPrior
    /// When UDP last brought an estimate; before the first, when it was first asked.
    private var lastDatagram: HostTime
    private var hasHadDatagram = false
    /// When this was last called. A machine that was suspended has missed nothing.
    private var lastTurn: HostTime
    /// Kept while resting, because sequence numbers under a key only grow.
    private var client: ClockClient?
    private var gate = ClockEstimateGate(isOverStream: true)
    private(set) var isAsking = false

    /// Starts with the exchange over UDP.
    init(key: ClockKey, prior: SkewPrior = .unknown, now: HostTime) {
        self.key = key
        self.prior = prior
        lastDatagram = now
        lastTurn = now
    }

    /// Returns the request that is due, if UDP has been silent for too long.
    mutating func poll(now: HostTime) -> ClockClient.Request? {
        if (now - lastTurn).magnitude > PeeringLimits.longestTurnGap { lastDatagram = now }
        lastTurn = now
        if !isAsking {
            let patience = hasHadDatagram ? ListenLimits.datagramSilence : ListenLimits.datagramPatience
            guard now - lastDatagram > patience else { return nil }
            begin(now)
        }
        return client?.poll(now: now)
    }

    /// Forgets what was learned before this machine slept, and gives UDP its time again.
    mutating func startAnew(now: HostTime) {
        lastDatagram = now
        lastTurn = now
        gate = ClockEstimateGate(isOverStream: true)
        client?.startAnew(now: now)
    }

    private mutating func begin(_ now: HostTime) {
        isAsking = true
        if client == nil {
            // Without the key nobody can tell the cookies from random ones.
            client = ClockClient(
                key: key, prior: prior, seed: key.secret0 ^ key.secret1, isPathSymmetric: false)
        } else {
            client?.suspectChange(now: now)
        }
    }

    /// Notes when the request was handed to the socket.
    mutating func didSend(sequence: UInt32, at transmit: HostTime) {
        client?.didSend(sequence: sequence, at: transmit)
    }

    /// Takes a reply.
    /// - Parameter anchor: the song's, once its start is decided.
    /// - Returns: the reply's estimate, if it may be used.
    mutating func receive(_ datagram: [UInt8], anchor: Anchor?, at now: HostTime) -> ClockEstimate? {
        guard isAsking, client?.receive(datagram, at: now) == .updated, let estimate = client?.estimate,
            gate.passes(estimate, untilStart: anchor?.timeUntilStart(estimate, now), now: now)
        else { return nil }
        return estimate.withoutSymmetry
    }

    /// Notes that UDP brought an estimate.
    mutating func noteDatagram(now: HostTime) {
        lastDatagram = now
        hasHadDatagram = true
    }

    /// Stops asking: UDP is as good now.
    mutating func rest() { isAsking = false }
}
