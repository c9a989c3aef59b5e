import AudioCore
import ClockSync
import Peering
import WireProtocol

/// Following the broadcaster's clock.
extension ListenSession {
    /// Begins the exchange at the port that the broadcaster named, unless one is under way.
    mutating func beginClock(_ id: ConnectionID, _ welcome: Welcome, _ now: HostTime) {
        guard !isRecorder, clock.connection == nil, let key = ClockKey(bytes: welcome.clockKey),
            let peer = connections[id]?.connection.greeting?.peer
        else { return }
        let prior = clock.begin(key, of: peer, over: id, now: now)
        actions.append(.startClock(id, port: welcome.clockPort, key: key, peer: peer, prior: prior))
    }

    mutating func endClock() {
        clock.end()
        actions.append(.stopClock)
    }

    /// Forgets what is known of all other broadcasters' clocks: this one is chosen.
    mutating func keepClock(of id: ConnectionID) {
        guard clock.connection != id else { return }
        forgetClock()
    }

    /// Forgets a broadcaster's clock that was not chosen.
    mutating func forgetClock(of id: ConnectionID) {
        guard clock.connection == id, case .choosing = phase else { return }
        forgetClock()
    }

    private mutating func forgetClock() {
        if clock.connection != nil { actions.append(.stopClock) }
        clock.forget()
    }

    /// The anchor of the song whose broadcaster's clock is asked, once its start is decided.
    private var anchorOfClock: Anchor? {
        if let reception { return reception.timeline.lastAnchor }
        return clock.connection.flatMap { connections[$0]?.pending.anchor }
    }

    /// Handles a sleep of this machine: what sounds is out of step.
    mutating func wake(after span: TimeSpan, _ now: HostTime) {
        clock.noteSleep(now: now)
        pace?.noteSleep(for: span)
        guard let name = broadcasterName else { return }
        change { $0.noteSleep(now: now) }
        tell(.slept(span, broadcaster: name))
        actions.append(.hold(fade: ListenLimits.stopFade))
        if clock.connection != nil { actions.append(.restartClock) }
    }

    /// Takes an estimate by UDP.
    mutating func learnClock(_ estimate: ClockEstimate, _ now: HostTime) {
        follow(clock.learn(estimate, anchor: anchorOfClock, now: now))
    }

    /// Asks over the connection if UDP has been silent for too long.
    mutating func askClock(_ id: ConnectionID, _ now: HostTime) {
        guard let request = clock.poll(now: now) else { return }
        connections.noteSent(id, now: now)
        actions.append(.sendClock(id, request))
    }

    /// Takes a reply over the connection.
    mutating func receiveClockReply(_ datagram: [UInt8], _ now: HostTime) {
        follow(clock.receive(datagram, anchor: anchorOfClock, now: now))
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
