import AudioCore
import ClockSync

/// The clock exchange over a listener's own connection, where UDP does not get through.
struct ConnectionClock {
    private var responder = ClockResponder()
    private var lastRequest: HostTime?
    private let key: ClockKey

    init(_ key: ClockKey) { self.key = key }

    /// Allows the listener to ask.
    mutating func open() { responder.register(key) }

    /// Answers a request; nil if it is not under the connection's key, or comes too soon after the last.
    mutating func answer(_ datagram: [UInt8], now: HostTime) -> ClockResponder.Reply? {
        guard let reply = responder.receive(datagram, at: ClockMapping.identity.session(at: now)) else { return nil }
        lastRequest = now
        return reply
    }

    var replyCount: Int { responder.statistics.answered }

    /// Returns whether the listener asked so recently that it is expected to go on.
    func isInUse(_ now: HostTime) -> Bool {
        lastRequest.map { now - $0 < BroadcastLimits.clockRequestMemory } ?? false
    }
}
