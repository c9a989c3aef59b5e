import AudioCore
import ClockSync
import Peering
import WireProtocol

/// What is done about the broadcaster's clock.
extension ListenSession {
    /// The broadcaster said where its clock answers.
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

    /// This machine slept for so long: what sounds is out of step.
    mutating func wake(after span: TimeSpan, _ now: HostTime) {
        clock.noteSleep(now: now)
        pace?.noteSleep(for: span)
        guard let name = broadcasterName else { return }
        change { $0.noteSleep(now: now) }
        tell(.slept(span, broadcaster: name))
        actions.append(.hold(fade: ListenLimits.stopFade))
        if clock.isExchanging { actions.append(.restartClock) }
    }

    /// UDP brought an estimate.
    mutating func learnClock(_ estimate: ClockEstimate, _ now: HostTime) {
        follow(clock.learn(estimate, anchor: reception?.epoch?.anchor, now: now))
    }

    /// Asks over the connection if UDP has been silent for too long.
    mutating func askClock(_ id: ConnectionID, _ now: HostTime) {
        guard let request = clock.poll(now: now) else { return }
        connections.noteSent(id, now: now)
        actions.append(.sendClock(id, request))
    }

    /// A reply over the connection.
    mutating func receiveClockReply(_ datagram: [UInt8], _ now: HostTime) {
        follow(clock.receive(datagram, anchor: reception?.epoch?.anchor, now: now))
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

    /// Without a clock nothing can be placed in time; the user may be able to do something about it.
    mutating func tellMissingClock(_ now: HostTime) {
        guard clock.estimate == nil, !isRecorder, let name = broadcasterName,
            change({ $0.isTellingMissingClockDue(now: now) }) == true
        else { return }
        tell(.clockUnanswered(name))
    }
}
