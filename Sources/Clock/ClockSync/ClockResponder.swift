import AudioCore

/// The broadcaster's half of the clock exchange: answers requests under known keys only.
///
/// Pure: no socket, no clock; session time is the broadcaster's host time and arrives as an argument. It keeps a few
/// words per key. A request's sequence number must be above all earlier ones of its key, so replayed, duplicated and
/// overtaken datagrams are not answered; the request rate per key is limited. Replies name the gap that the number of
/// keys asks for. Not thread-safe.
public struct ClockResponder: Sendable {
    /// A reply that still needs its transmit time.
    public struct Reply: Sendable {
        fileprivate var datagram: ClockDatagram
        fileprivate var key: ClockKey
        /// Whether the listener asks again as soon as it is answered: it knows little of the clock, or doubts it.
        /// Others ask at their own pace, and do not mind when the reply leaves.
        public fileprivate(set) var isUrgent: Bool

        public var keyIdentifier: UInt64 { key.identifier }
        public var sequence: UInt32 { datagram.sequence }

        /// Returns the bytes to send; read the clock just before.
        public func bytes(transmit: SessionTime) -> [UInt8] {
            var datagram = datagram
            datagram.transmit = transmit
            return datagram.encoded(under: key)
        }
    }

    private struct Peer {
        var key: ClockKey
        var lastSequence: UInt32 = 0
        var transmitSequence: UInt32 = 0
        var transmit = SessionTime(nanoseconds: 0)
        var allowance = ClockLimits.requestBurst
        var lastRequest: SessionTime?
    }

    private var peers: [UInt64: Peer] = [:]
    public private(set) var statistics = Statistics()

    /// Counts of the requests so far, by outcome.
    public struct Statistics: Hashable, Sendable {
        public var answered = 0
        /// Not a clock datagram, or an unknown key, or a wrong tag.
        public var unauthenticated = 0
        /// Replayed, duplicated or overtaken.
        public var outOfOrder = 0
        public var overRate = 0
    }

    public init() {}

    /// Answers requests under `key` from now on. Returns false if there are too many keys.
    @discardableResult
    public mutating func register(_ key: ClockKey) -> Bool {
        guard peers[key.identifier] != nil || peers.count < ClockLimits.keyCount else { return false }
        peers[key.identifier] = Peer(key: key)
        return true
    }

    /// Forgets a key; its requests are ignored from now on.
    public mutating func unregister(keyIdentifier: UInt64) {
        peers[keyIdentifier] = nil
    }

    /// Returns the reply to a datagram that arrived at `receive`, or nil to ignore it.
    public mutating func receive(_ bytes: [UInt8], at receive: SessionTime) -> Reply? {
        guard let identifier = ClockDatagram.keyIdentifier(of: bytes), var peer = peers[identifier],
            let request = ClockDatagram(bytes, under: peer.key), request.kind == .request
        else {
            statistics.unauthenticated += 1
            return nil
        }
        guard request.sequence > peer.lastSequence else {
            statistics.outOfOrder += 1
            return nil
        }
        peer.lastSequence = request.sequence
        defer { peers[identifier] = peer }
        let isUrgent = peer.lastRequest.map { Self.hurriedGaps.contains(receive - $0) } ?? true
        guard Self.takeAllowance(of: &peer, at: receive) else {
            statistics.overRate += 1
            return nil
        }
        statistics.answered += 1
        var reply = ClockDatagram(
            kind: .reply, keyIdentifier: identifier, sequence: request.sequence, cookie: request.cookie)
        reply.interval = interval
        reply.receive = receive
        reply.previousSequence = peer.transmitSequence
        reply.previousTransmit = peer.transmit
        return Reply(datagram: reply, key: peer.key, isUrgent: isUrgent)
    }

    /// Takes the kernel's transmit stamp of a reply; the next reply carries it.
    public mutating func didSend(keyIdentifier: UInt64, sequence: UInt32, at transmit: SessionTime) {
        guard let peer = peers[keyIdentifier], sequence > peer.transmitSequence, sequence <= peer.lastSequence else {
            return
        }
        peers[keyIdentifier]?.transmitSequence = sequence
        peers[keyIdentifier]?.transmit = transmit
    }

    /// The gap between two requests that listeners are asked to leave at least.
    private var interval: TimeSpan {
        let interval = TimeSpan(seconds: Double(peers.count) / ClockLimits.settledRequestsPerSecond)
        return min(interval, ClockLimits.longestInterval)
    }

    private static let hurriedGaps = ClockLimits.groupGap..<ClockLimits.urgentGap

    private static func takeAllowance(of peer: inout Peer, at now: SessionTime) -> Bool {
        if let last = peer.lastRequest {
            let earned = max(0, (now - last).seconds) * ClockLimits.requestsPerSecond
            peer.allowance = min(ClockLimits.requestBurst, peer.allowance + earned)
        }
        peer.lastRequest = now
        guard peer.allowance >= 1 else { return false }
        peer.allowance -= 1
        return true
    }
}
