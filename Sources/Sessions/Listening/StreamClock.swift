import AudioCore
import ClockSync

/// The clock exchange over the broadcast's own connection, for a network that stops UDP.
///
///     resting ──no estimate by UDP for a while──▶ asking ──an estimate by UDP was taken──▶ resting
///
/// UDP is asked all the while by others; this is only told what comes of it. The datagrams, the schedule and the
/// estimator are those of UDP. What differs is what they meet on the way: audio that stands in the queue of one
/// direction, two programs that were busy when a message came. So the path is never taken as symmetric.
struct StreamClock {
    private let key: ClockKey
    private let prior: SkewPrior
    /// When UDP brought an estimate; before it has, when it was first asked.
    private var lastDatagram: HostTime
    private var hasHadDatagram = false
    /// When this was last told the time: a machine that was suspended has missed nothing.
    private var lastLook: HostTime
    /// Kept while resting: sequence numbers under a key only grow.
    private var client: ClockClient?
    private var gate = ClockEstimateGate(isOverStream: true)
    private(set) var isAsking = false

    /// The exchange over UDP begins now.
    init(key: ClockKey, prior: SkewPrior = .unknown, now: HostTime) {
        self.key = key
        self.prior = prior
        lastDatagram = now
        lastLook = now
    }

    /// The request that is due, if UDP has been silent for too long.
    mutating func poll(now: HostTime) -> ClockClient.Request? {
        if (now - lastLook).magnitude > ListenLimits.longestLook { lastDatagram = now }
        lastLook = now
        if !isAsking {
            let patience = hasHadDatagram ? ListenLimits.datagramSilence : ListenLimits.datagramPatience
            guard now - lastDatagram > patience else { return nil }
            begin(now)
        }
        return client?.poll(now: now)
    }

    /// This machine slept: what was learned is void, and UDP has its time again.
    mutating func startAnew(now: HostTime) {
        lastDatagram = now
        lastLook = now
        gate = ClockEstimateGate(isOverStream: true)
        client?.startAnew(now: now)
    }

    private mutating func begin(_ now: HostTime) {
        isAsking = true
        if client == nil {
            // Nobody who does not know the key can tell the cookies from random ones.
            client = ClockClient(
                key: key, prior: prior, seed: key.secret0 ^ key.secret1, isPathSymmetric: false)
        } else {
            client?.suspectChange(now: now)
        }
    }

    /// The request was handed to the socket then.
    mutating func didSend(sequence: UInt32, at transmit: HostTime) {
        client?.didSend(sequence: sequence, at: transmit)
    }

    /// The reply's estimate, if there is one that may be used.
    /// - Parameter anchor: the song's, once its instant is known.
    mutating func receive(_ datagram: [UInt8], anchor: Anchor?, at now: HostTime) -> ClockEstimate? {
        guard isAsking, client?.receive(datagram, at: now) == .updated, let estimate = client?.estimate,
            gate.passes(estimate, untilStart: anchor?.timeUntilStart(estimate, now), now: now)
        else { return nil }
        return estimate.withoutSymmetry
    }

    /// UDP brought an estimate.
    mutating func noteDatagram(now: HostTime) {
        lastDatagram = now
        hasHadDatagram = true
    }

    /// UDP does as well now.
    mutating func rest() { isAsking = false }
}
