import AudioCore
import ClockSync
import Peering
import WireProtocol

/// The clock exchange over a listener's own connection, where UDP does not get through.
extension BroadcastSession {
    /// Answers a clock request; what is not under this connection's key, comes too often, or comes of one that does
    /// not read, is ignored.
    mutating func answerClock(_ datagram: [UInt8], of id: ConnectionID, _ now: HostTime) {
        let arrival = ClockMapping.identity.session(at: now)
        guard let link = connections[id], link.bytesInFlight < BroadcastLimits.answeredBytesInFlight,
            let reply = link.clock.receive(datagram, at: arrival)
        else { return }
        link.lastClockRequest = now
        link.noteSent(WireEncoder.clockByteCount, now)
        actions.append(.sendClock(id, reply))
        guard link.clock.statistics.answered == BroadcastLimits.clockRequestsOfNote else { return }
        let name = link.connection.name
        sayOnce(.warning, "UDP is blocked between \(name) and this machine: clock over TCP, less exact")
    }
}
