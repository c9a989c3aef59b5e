import AudioCore
import ClockSync
import Listening
import Peering
import WireProtocol

/// Exchanging clocks with the broadcaster.
extension ListenNode {
    public func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?) {
        guard let endpoint = endpoints[id] else { return }
        exchangeCount += 1
        if cardConfiguration.fault == .lateReturn, exchangeCount > 1 { outlet.lateness = .milliseconds(1) }
        clockGeneration += 1
        clock = (ClockClient(key: key, prior: prior ?? .unknown, seed: random.next()), endpoint.peerName, nil)
        askClock(generation: clockGeneration)
    }

    public func restartClock() {
        clock?.client.startAnew(now: machine.now)
        clock?.untaken = nil
        clockGeneration += 1
        askClock(generation: clockGeneration)
    }

    public func stopClock() {
        clockGeneration += 1
        clock = nil
    }

    private func askClock(generation: Int) {
        guard generation == clockGeneration, let host = clock?.host else { return }
        if let request = clock?.client.poll(now: machine.now) {
            // From the reading of the clock to the wire; the kernel's stamp is of the latter.
            machine.after(random.exponential(.microseconds(6))) { [self] in
                guard generation == clockGeneration else { return }
                network.sendDatagram(request.bytes, from: machine, to: host)
                clock?.client.didSend(sequence: request.sequence, at: machine.now)
            }
        }
        guard let span = clock?.client.wait(now: machine.now) else { return }
        let wait = span + random.exponential(.microseconds(30))
        machine.after(wait) { [unowned self] in askClock(generation: generation) }
    }

    func receiveDatagram(_ bytes: [UInt8], arrival: HostTime) {
        guard clock?.client.receive(bytes, at: arrival) == .updated, let news = clock?.client.takeNews() else {
            return
        }
        clock?.untaken = news.estimate
        if !news.mayWait, let estimate = takeEstimate() { handle(.clock(estimate)) }
    }

    public func takeEstimate() -> ClockEstimate? { clock?.untaken.take() ?? nil }
}
