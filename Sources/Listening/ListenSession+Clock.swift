import AudioCore
import ClockSync
import Peering
import WireProtocol

/// What the broadcaster's clock is known by: UDP, or where that is stopped the connection itself.
extension ListenSession {
    /// The broadcaster said where its clock answers.
    mutating func beginClock(_ id: ConnectionID, _ welcome: Welcome, _ now: HostTime) {
        guard !isRecorder, connections[id]?.hasClock == false, let key = ClockKey(bytes: welcome.clockKey),
            let peer = reception?.broadcaster.peer
        else { return }
        connections[id]?.hasClock = true
        clockProbation = ClockProbation()
        // A connection that broke changes nothing of the clocks' rates.
        let prior = knownRate?.peer == peer ? knownRate?.prior : nil
        clockBefore = knownClock?.peer == peer ? knownClock?.estimate : nil
        streamClock = StreamClock(key: key, prior: prior ?? .unknown, now: now)
        actions.append(.startClock(id, port: welcome.clockPort, key: key, peer: peer, prior: prior))
    }

    mutating func endClock() {
        streamClock = nil
        actions.append(.stopClock)
    }

    /// This machine slept for so long, and its clock did not move: nothing that was known of the broadcaster's holds any
    /// more, and what sounds is out of step.
    mutating func wake(after span: TimeSpan, _ now: HostTime) {
        guard let name = reception?.broadcaster.name else { return }
        let seconds = (span.seconds * 10).rounded() / 10
        let text = "this machine slept for \(seconds) s: silent until \(name)'s time is known again"
        actions.append(.notice(.info, text))
        actions.append(.hold(fade: ListenLimits.stopFade))
        woken = now
        clock = nil
        (knownClock, clockBefore) = (nil, nil)
        isClockFromStream = false
        clockProbation = ClockProbation()
        reception?.joined = now
        if case .orphaned = phase { phase = .orphaned(since: now) }
        guard streamClock != nil else { return }
        streamClock?.startAnew(now: now)
        actions.append(.restartClock)
    }

    /// Takes over what the clock is known by from now on.
    private mutating func use(_ estimate: ClockEstimate) {
        woken = nil
        clock = estimate
        if let peer = reception?.broadcaster.peer {
            knownRate = (peer, SkewPrior(estimate))
            knownClock = (peer, estimate)
        }
        placeTimeline()
    }

    /// Of what the exchange under way knows and what was known before it, whichever is known better: on a congested link
    /// a new exchange is off by half of what stands in one direction's queue. What it excludes was another clock's: that
    /// of a machine before it was started anew, say.
    private mutating func better(of estimate: ClockEstimate, _ now: HostTime) -> ClockEstimate {
        guard let before = clockBefore else { return estimate }
        let age = (now - before.mapping.host).magnitude
        let bound = before.errorBound(at: now) + age * (ListenLimits.crystalWander.value * 1e-6)
        let distance = (before.mapping.session(at: now) - estimate.mapping.session(at: now)).magnitude
        guard bound < estimate.errorBound, distance <= bound + estimate.errorBound + estimate.asymmetryLimit else {
            clockBefore = nil
            return estimate
        }
        return before
    }

    /// UDP brought an estimate. Over the connection it goes on until this one is as good.
    mutating func learnClock(_ estimate: ClockEstimate, _ now: HostTime) {
        // One from before the sleep may have waited to be told.
        if let woken, estimate.mapping.host < woken { return }
        streamClock?.noteDatagram(now: now)
        let untilStart = reception?.anchor?.timeUntilStart(estimate, now)
        guard clockProbation.passes(estimate, untilStart: untilStart, now: now) else { return }
        let estimate = better(of: estimate, now)
        if isClockFromStream, let clock {
            guard estimate.errorBound(at: now) <= clock.errorBound(at: now) else { return }
            sayOnce(.info, "\(reception?.broadcaster.name ?? "")'s clock answers by UDP now", .clockByUDP)
        }
        streamClock?.rest()
        isClockFromStream = false
        use(estimate)
    }

    /// Asks over the connection if UDP has been silent for too long.
    mutating func askClock(_ id: ConnectionID, _ now: HostTime) {
        guard let request = streamClock?.poll(now: now) else { return }
        connections.said(id, now: now)
        actions.append(.sendClock(id, request))
    }

    /// A reply over the connection.
    mutating func hearClock(_ datagram: [UInt8], _ now: HostTime) {
        guard let estimate = streamClock?.receive(datagram, anchor: reception?.anchor, at: now),
            isWorthMore(estimate, now), let name = reception?.broadcaster.name
        else { return }
        isClockFromStream = true
        use(estimate)
        sayOnce(.warning, "UDP is blocked between \(name) and this machine: clock over TCP, less exact", .clockOverTCP)
    }

    /// Whether an estimate over the connection is to replace the one that is held: one by UDP is nearer the truth for a
    /// while after UDP fell silent, unless the clock has stepped since.
    private func isWorthMore(_ estimate: ClockEstimate, _ now: HostTime) -> Bool {
        guard let clock, !isClockFromStream, now - clock.mapping.host < ListenLimits.longestExtrapolation else {
            return true
        }
        let bounds = (held: clock.errorBound(at: now), new: estimate.errorBound(at: now))
        if bounds.new < bounds.held { return true }
        let distance = (estimate.mapping.session(at: now) - clock.mapping.session(at: now)).magnitude
        return distance > bounds.held + bounds.new
    }
}
