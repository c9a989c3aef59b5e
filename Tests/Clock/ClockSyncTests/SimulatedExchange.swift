import AudioCore

@testable import ClockSync

/// A client and a responder on two simulated machines with a simulated link between them; the truth is known.
struct SimulatedExchange {
    /// What the estimate was worth at one moment.
    struct Observation {
        var time: Double
        var error: Double
        /// That of the estimate that was handed on last.
        var handedOnError: Double
        var bound: Double
        var skewError: Double
        var estimate: ClockEstimate
    }

    private struct Flight {
        var arrival: Double
        var isReply: Bool
        var bytes: [UInt8]
    }

    private static let key = ClockKey(identifier: 1, secret0: 2, secret1: 3)
    /// From the arrival of a request to the departure of the reply; the reply itself carries an earlier reading.
    private static let holding = 15e-6
    private static let unseen = 8e-6
    private static let gathering = ClockLimits.gatheringTime.seconds

    var link: SimulatedLink
    private(set) var client: ClockClient
    private var responder = ClockResponder()
    private var host: SimulatedClock
    private var session: SimulatedClock
    private var generator: SplitMix64
    private var flights: [Flight] = []
    /// Replies that wait in the client's socket, with the kernel's stamps of their arrival.
    private var waiting: [(bytes: [UInt8], at: HostTime)] = []
    private var urgentUntil = 1.0
    private var lastArrival = (request: 0.0, reply: 0.0)
    private var lastRequest = -Double.infinity
    private(set) var time = 0.0
    /// When the first estimate was there.
    private(set) var firstEstimate: Double?
    /// The estimate that was handed on last, how many were, and how many of them at once.
    private(set) var handedOn: (estimate: ClockEstimate, count: Int, urgentCount: Int)?

    /// - Parameters:
    ///   - hostPPM: added to the rate of the client's clock, which is any within 50 ppm.
    ///   - hostRamp: how the rate of the client's clock changes, in ppm a minute.
    ///   - others: how many other listeners the responder has.
    ///   - isPathSymmetric: false where a song shares the connection.
    init(
        _ link: SimulatedLink, wander: Double = 0, seed: UInt64, prior: SkewPrior = .unknown, hostPPM: Double = 0,
        hostRamp: Double = 0, others: Int = 0, isPathSymmetric: Bool = true
    ) {
        var generator = SplitMix64(seed: seed)
        self.link = link
        host = SimulatedClock(
            offset: 1e5, ppm: hostPPM + .random(in: -50...50, using: &generator), wander: wander, ramp: hostRamp,
            seed: generator.next())
        session = SimulatedClock(
            offset: 7e4, ppm: .random(in: -50...50, using: &generator), wander: wander, seed: generator.next())
        client = ClockClient(
            key: Self.key, prior: prior, seed: generator.next(), isPathSymmetric: isPathSymmetric)
        responder.register(Self.key)
        for other in 0..<others { responder.register(ClockKey(identifier: UInt64(other + 2), secret0: 0, secret1: 0)) }
        self.generator = generator
    }

    /// Runs to a moment of true time and looks at the estimate there.
    @discardableResult
    mutating func run(until end: Double) -> Observation? {
        while let next = nextEvent(), next.time <= end {
            time = max(time, next.time)
            guard let flight = next.flight else {
                ask()
                continue
            }
            let arrived = flights.remove(at: flight)
            guard arrived.isReply else {
                answer(arrived.bytes)
                continue
            }
            waiting.append((arrived.bytes, HostTime(nanoseconds: host.nanoseconds(at: time))))
            if !client.mayRepliesWait { receive() }
        }
        time = end
        return observation()
    }

    mutating func jumpHost(by seconds: Double) { host.jump(by: seconds) }

    /// The host slept for so long, and was told when it woke.
    mutating func sleepHost(for seconds: Double) {
        host.jump(by: -seconds)
        client.startAnew(now: HostTime(nanoseconds: host.nanoseconds(at: time)))
    }

    private mutating func nextEvent() -> (time: Double, flight: Int?)? {
        let wait = client.wait(now: HostTime(nanoseconds: host.nanoseconds(at: time)))
        var next: (time: Double, flight: Int?) = (time + wait.seconds, nil)
        for (index, flight) in flights.enumerated() where flight.arrival < next.time {
            next = (flight.arrival, index)
        }
        return next
    }

    private mutating func ask() {
        receive()
        guard let request = client.poll(now: HostTime(nanoseconds: host.nanoseconds(at: time))) else { return }
        let departure = time + 10e-6
        client.didSend(sequence: request.sequence, at: HostTime(nanoseconds: host.nanoseconds(at: departure)))
        send(request.bytes, at: departure, isReply: false)
    }

    private mutating func answer(_ bytes: [UInt8]) {
        let receive = SessionTime(nanoseconds: session.nanoseconds(at: time))
        guard let reply = responder.receive(bytes, at: receive) else { return }
        let handled = time < urgentUntil ? time : (time / Self.gathering).rounded(.up) * Self.gathering
        if reply.isUrgent { urgentUntil = max(urgentUntil, time + ClockLimits.urgentTime.seconds) }
        let departure = handled + Self.holding
        let read = SessionTime(nanoseconds: session.nanoseconds(at: departure - Self.unseen))
        send(reply.bytes(transmit: read), at: departure, isReply: true)
        responder.didSend(
            keyIdentifier: Self.key.identifier, sequence: reply.sequence,
            at: SessionTime(nanoseconds: session.nanoseconds(at: departure)))
    }

    private mutating func receive() {
        for reply in waiting where client.receive(reply.bytes, at: reply.at) == .updated {
            guard let news = client.takeNews() else { continue }
            let (count, urgentCount) = handedOn.map { ($0.count, $0.urgentCount) } ?? (0, 0)
            handedOn = (news.estimate, count + 1, urgentCount + (news.mayWait ? 0 : 1))
        }
        waiting = []
        if client.estimate != nil, firstEstimate == nil { firstEstimate = time }
    }

    private mutating func send(_ bytes: [UInt8], at departure: Double, isReply: Bool) {
        guard generator.uniform() >= link.loss else { return }
        let delay = SimulatedLink.delay(isReply ? link.backward : link.forward, at: departure, using: &generator)
        var arrival = departure + link.base + delay + (isReply ? link.backwardDetour : coldness(at: departure))
        if !isReply { lastRequest = departure }
        if link.keepsOrder {
            arrival = max(arrival, isReply ? lastArrival.reply : lastArrival.request)
            if isReply { lastArrival.reply = arrival } else { lastArrival.request = arrival }
        }
        flights.append(Flight(arrival: arrival, isReply: isReply, bytes: bytes))
    }

    private func coldness(at departure: Double) -> Double {
        departure - lastRequest < SimulatedLink.rest ? 0 : link.coldness
    }

    private mutating func observation() -> Observation? {
        guard let estimate = client.estimate, let handedOn else { return nil }
        let now = HostTime(nanoseconds: host.nanoseconds(at: time))
        let truth = SessionTime(nanoseconds: session.nanoseconds(at: time))
        let skew = ((1 + session.rateError) / (1 + host.rateError) - 1) * 1e6
        return Observation(
            time: time, error: (estimate.mapping.session(at: now) - truth).seconds,
            handedOnError: (handedOn.estimate.mapping.session(at: now) - truth).seconds,
            bound: estimate.errorBound(at: now).seconds, skewError: estimate.skew.value - skew, estimate: estimate)
    }
}
