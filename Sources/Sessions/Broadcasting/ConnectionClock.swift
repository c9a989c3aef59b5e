import AudioCore
import ClockSync

/// The clock exchange over a listener's own connection, where UDP does not get through.
struct ConnectionClock {
    private var responder = ClockResponder()
    private var lastRequest: HostTime?
    private let key: ClockKey

    init(_ key: ClockKey) { self.key = key }

    /// Lets the listener ask.
    mutating func open() { responder.register(key) }

    /// Answers a request; nil for one that is not under the connection's key, or comes too often.
    mutating func answer(_ datagram: [UInt8], now: HostTime) -> ClockResponder.Reply? {
        guard let reply = responder.receive(datagram, at: ClockMapping.identity.session(at: now)) else { return nil }
        lastRequest = now
        return reply
    }

    var replyCount: Int { responder.statistics.answered }

    /// Whether the listener asked so recently that it is taken to ask on.
    func isInUse(_ now: HostTime) -> Bool {
        lastRequest.map { now - $0 < BroadcastLimits.clockRequestMemory } ?? false
    }
}
