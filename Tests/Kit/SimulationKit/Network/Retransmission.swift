import AudioCore
import NIOCore

// What TCP does where the network carries nothing
//
// A segment that is not acknowledged is sent again after the retransmission timeout, which doubles with every try (RFC
// 6298 section 5.5) and begins anew when something is acknowledged. So a connection is silent for up to as long as the
// network was cut after it was mended: of 5 s it is 1.5 s (tries at 0.2, 0.6, 1.5, 3.2 and 6.5 s). What is written
// meanwhile waits behind.

/// What one end of a connection has sent and the other did not get, or did not get to acknowledge.
struct Retransmission {
    enum Segment {
        case bytes(ByteBuffer)
        /// A FIN.
        case end

        var byteCount: Int { if case .bytes(let bytes) = self { bytes.readableBytes } else { 40 } }
    }

    /// Linux's least, and what a round trip adds.
    static let firstTimeout = TimeSpan.milliseconds(210)
    /// TCP_RTO_MAX.
    static let longestTimeout = TimeSpan.seconds(120)
    /// Tries until the connection is given up (tcp_retries2), and where no process holds it any more
    /// (tcp_orphan_retries).
    static let tryCount = 15
    static let orphanTryCount = 8

    /// Between here and there, or still here because the link is slow; in the order in which they are sent.
    var underWay: [Segment] = []
    /// Counts the changes of the link's rate.
    var pace = 0
    /// In the order in which they were sent.
    var lost: [Segment] = []
    /// Bytes that arrived, which this side does not know.
    var unheardByteCount = 0
    var isTimerRunning = false
    var timeout = firstTimeout
    var tries = 0

    /// Something was acknowledged.
    mutating func begin() {
        timeout = Self.firstTimeout
        tries = 0
    }
}

extension StreamEndpoint {
    func send(_ segment: Retransmission.Segment) {
        guard !retransmission.isTimerRunning else { return retransmission.lost.append(segment) }
        carry(segment)
    }

    private func carry(_ segment: Retransmission.Segment) {
        retransmission.underWay.append(segment)
        schedule(segment)
    }

    private func schedule(_ segment: Retransmission.Segment) {
        let partner = partner
        let pace = retransmission.pace
        network.loop.at(arrival(byteCount: segment.byteCount)) { [self] in
            guard pace == retransmission.pace else { return }
            retransmission.underWay.removeFirst()
            arrive(segment, at: partner)
        }
    }

    /// The link is faster, or slower, from now on: what waits in this kernel goes at the new pace.
    func changePace() {
        retransmission.pace += 1
        restartLine()
        for segment in retransmission.underWay { schedule(segment) }
    }

    /// The segment is where the other machine is.
    private func arrive(_ segment: Retransmission.Segment, at partner: StreamEndpoint?) {
        guard !retransmission.isTimerRunning, !network.isCut(own, peer) else { return lose(segment) }
        guard let partner, partner.own.machine.isAlive, !partner.isClosed || partner.isLingering else {
            return meetNobody(segment, partner)
        }
        switch segment {
        case .bytes(let bytes) where partner.isLingering: acknowledge(bytes.readableBytes)
        case .bytes(let bytes): partner.arrived(bytes) { [self] in acknowledge($0) }
        case .end: partner.endArrived()
        }
    }

    /// The other machine has no such connection: it says so if it is there.
    private func meetNobody(_ segment: Retransmission.Segment, _ partner: StreamEndpoint?) {
        let isMachineThere = partner.map { network.isThere($0.own) } ?? network.isThere(peer)
        guard isMachineThere, !network.isCut(peer, own) else { return lose(segment) }
        // No chance in it, so that what a run met before this was modelled it meets again.
        network.loop.after(own.quality.delay + peer.quality.delay) { [self] in endArrived() }
    }

    private func acknowledge(_ byteCount: Int) {
        guard !network.isCut(peer, own) else {
            retransmission.unheardByteCount += byteCount
            return startTimer()
        }
        retransmission.begin()
        acknowledged(byteCount)
        pump()
    }

    private func lose(_ segment: Retransmission.Segment) {
        retransmission.lost.append(segment)
        startTimer()
    }

    private func startTimer() {
        guard !retransmission.isTimerRunning else { return }
        retransmission.isTimerRunning = true
        network.loop.after(retransmission.timeout) { [self] in tryAgain() }
    }

    /// Sends again what was lost. What was sent after it and is still here goes behind it, so that the order stays.
    private func sendAgain() {
        let segments = retransmission.lost + retransmission.underWay
        retransmission.lost = []
        retransmission.underWay = []
        retransmission.pace += 1
        restartLine()
        for segment in segments { carry(segment) }
    }

    private func tryAgain() {
        retransmission.isTimerRunning = false
        guard own.machine.isAlive else { return }
        retransmission.tries += 1
        retransmission.timeout = min(retransmission.timeout * 2, Retransmission.longestTimeout)
        let limit = isClosed ? Retransmission.orphanTryCount : Retransmission.tryCount
        guard retransmission.tries <= limit else {
            retransmission.lost = []
            if !isClosed { breakOff() }
            return
        }
        let isHeard = !network.isCut(peer, own)
        // Nothing new is sent while the first segment is not acknowledged.
        let maySend = isHeard || retransmission.unheardByteCount == 0
        guard !network.isCut(own, peer), maySend else { return startTimer() }
        sendAgain()
        guard isHeard, retransmission.unheardByteCount > 0 else { return }
        acknowledged(retransmission.unheardByteCount)
        retransmission.unheardByteCount = 0
        retransmission.begin()
        pump()
    }
}
