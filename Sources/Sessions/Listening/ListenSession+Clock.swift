import AudioCore
import ClockSync
import Peering
import WireProtocol

/// Following the broadcaster's clock.
extension ListenSession {
    /// Begins the exchange at the port that the broadcaster named.
    mutating func beginClock(_ id: ConnectionID, _ welcome: Welcome, _ now: HostTime) {
        guard !isRecorder, !clock.isExchanging, let key = ClockKey(bytes: welcome.clockKey),
            let peer = reception?.broadcaster.peer
        else { return }
        let prior = clock.begin(key, of: peer, now: now)
        actions.append(.startClock(id, port: welcome.clockPort, key: key, peer: peer, prior: prior))
    }

    mutating func endClock() {
        clock.end()
        actions.append(.stopClock)
    }

    /// Handles a sleep of this machine: what sounds is out of step.
    mutating func wake(after span: TimeSpan, _ now: HostTime) {
        clock.noteSleep(now: now)
        pace?.noteSleep(for: span)
        guard let name = broadcasterName else { return }
        change { $0.noteSleep(now: now) }
        tell(.slept(span, broadcaster: name))
        actions.append(.hold(fade: ListenLimits.stopFade))
        if clock.isExchanging { actions.append(.restartClock) }
    }

    /// Takes an estimate by UDP.
    mutating func learnClock(_ estimate: ClockEstimate, _ now: HostTime) {
        follow(clock.learn(estimate, anchor: reception?.timeline.lastAnchor, now: now))
    }

    /// Asks over the connection if UDP has been silent for too long.
    mutating func askClock(_ id: ConnectionID, _ now: HostTime) {
        guard let request = clock.poll(now: now) else { return }
        connections.noteSent(id, now: now)
        actions.append(.sendClock(id, request))
    }

    /// Takes a reply over the connection.
    mutating func receiveClockReply(_ datagram: [UInt8], _ now: HostTime) {
        follow(clock.receive(datagram, anchor: reception?.timeline.lastAnchor, now: now))
    }

    private mutating func follow(_ change: ListenerClock.Change) {
        guard change != .nothing, let name = broadcasterName else { return }
        switch change {
        case .path(.datagrams): tellOnce(.clockPath(name, .udp))
        case .path(.connection): tellOnce(.clockPath(name, .tcp))
        case .nothing, .estimate: break
        }
        placeTimeline()
    }

    /// Tells the user that the clock is missing. Nothing can be placed without it, and the user may be able to help.
    mutating func tellMissingClock(_ now: HostTime) {
        guard clock.estimate == nil, !isRecorder, let name = broadcasterName,
            change({ $0.takeMissingClockReport(now: now) }) == true
        else { return }
        tell(.clockUnanswered(name))
    }
}
