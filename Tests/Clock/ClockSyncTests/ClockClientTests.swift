import AudioCore
import Testing

@testable import ClockSync

/// The client against a broadcaster that answers at once, 5 s ahead, 1 ms away in either direction unless a test says
/// otherwise.
@Suite(.timeLimit(.minutes(5))) struct ClockClientTests {
    private let key = ClockDatagramTests.key
    private static let ahead = TimeSpan.seconds(5)

    private func client() -> ClientBox { ClientBox(ClockClient(key: key, seed: 1)) }

    private func host(_ microseconds: Int64) -> HostTime { HostTime(nanoseconds: microseconds * 1_000) }

    private func reply(
        to request: ClockClient.Request, arrivingAt session: SessionTime, others: UInt64 = 0
    ) throws -> [UInt8] {
        let responder = ResponderBox()
        responder.register(key)
        for other in 0..<others {
            responder.register(ClockKey(identifier: key.identifier &+ other &+ 1, secret0: 0, secret1: 0))
        }
        let reply = try #require(responder.receive(request.bytes, at: session))
        return reply.bytes(transmit: session)
    }

    /// One perfect exchange that begins at `now`.
    @discardableResult
    private func exchange(
        _ client: ClientBox, at now: HostTime, away: TimeSpan = .milliseconds(1), others: UInt64 = 0
    ) throws -> ClockClient.Reception? {
        guard let request = client.poll(now: now) else { return nil }
        client.didSend(sequence: request.sequence, at: now)
        let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + away
        return client.receive(try reply(to: request, arrivingAt: session, others: others), at: now + away * 2)
    }

    private func settled() throws -> (client: ClientBox, now: HostTime) {
        let client = client()
        var now = host(0)
        for _ in 0..<40 {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        return (client, now)
    }

    @Test func joiningBeginsWithABurst() throws {
        let client = client()
        var now = host(0)
        for _ in 0..<16 {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        #expect(now < host(150_000))
        let estimate = try #require(client.estimate)
        let error = estimate.mapping.session(at: now) - (SessionTime(nanoseconds: now.nanoseconds) + Self.ahead)
        #expect(error.magnitude < .microseconds(1))
        #expect(estimate.roundTrip == .milliseconds(2))
        #expect(estimate.asymmetryLimit == .milliseconds(1))
    }

    /// The first sound waits for the rate: a wire is asked for it as often as its listeners together leave it time.
    /// Over radio requests would queue.
    @Test(
        arguments: [(0.1, 0, 1_000), (0.1, 23, 1_500), (0.1, 999, 2_000), (1, 0, 6_000)] as [(Double, UInt64, Int64)]
    )
    func aBurstGoesByThePath(millisecondsAway: Double, others: UInt64, gap: Int64) throws {
        let client = client()
        let away = TimeSpan(seconds: millisecondsAway * 1e-3)
        try exchange(client, at: host(0), away: away, others: others)
        // The first reply tells of the path.
        var now = try #require(client.nextDeadline)
        for _ in 0..<14 {
            try exchange(client, at: now, away: away, others: others)
            let next = try #require(client.nextDeadline)
            #expect(next - now == .microseconds(gap))
            now = next
        }
    }

    /// A reply that was read later tells the same, but what depends on it comes later.
    @Test func repliesMayWaitOnceGapsAreLong() throws {
        var (client, now) = try settled()
        #expect(!client.mayRepliesWait)
        for _ in 0..<300 {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        #expect(client.mayRepliesWait)
        client.suspectChange(now: now)
        #expect(!client.mayRepliesWait)
        try exchange(client, at: now)
        #expect(!client.mayRepliesWait)
    }

    @Test func steadyRateIsAFewASecond() throws {
        var (client, now) = try settled()
        for _ in 0..<300 {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        let sent = client.statistics.sent
        let end = now + .seconds(10)
        while now < end {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        #expect(client.statistics.sent - sent >= 35 && client.statistics.sent - sent <= 60)
    }

    /// A wire finds two requests at once where there would be one, and then four; a radio and one of many listeners do
    /// not.
    @Test(arguments: [(0.1, 0, true), (0.1, 100, true), (0.1, 200, false), (1, 0, false)] as [(Double, UInt64, Bool)])
    func requestsGoInGroupsOnceGapsAreLong(millisecondsAway: Double, others: UInt64, inGroups: Bool) throws {
        let client = client()
        let away = TimeSpan(seconds: millisecondsAway * 1e-3)
        var now = host(0)
        var groups: [(count: Int, gap: TimeSpan)] = []
        var count = 0
        while now < host(40_000_000) {
            try exchange(client, at: now, away: away, others: others)
            let next = try #require(client.nextDeadline)
            count += 1
            if next > now {
                groups.append((count, next - now))
                count = 0
            }
            // What came before arrives before the next request leaves.
            now = next
        }
        let young = groups.prefix(50)
        #expect(young.allSatisfy { $0.count == 1 && $0.gap < .milliseconds(20) })
        #expect(groups.contains { $0.count == 2 } == inGroups)
        let settled = groups.suffix(20)
        let longest = TimeSpan.milliseconds(inGroups ? 500 : 250)
        #expect(settled.allSatisfy { $0.count == (inGroups ? 4 : 1) }, "\(settled)")
        #expect(settled.allSatisfy { $0.gap > longest * 0.85 && $0.gap < longest * 1.15 }, "\(settled)")
    }

    /// An estimate costs more than an exchange, and nobody reads one in the middle of a group.
    @Test func aGroupGivesOneEstimate() throws {
        let client = client()
        var now = host(0)
        while now < host(30_000_000) {
            try exchange(client, at: now, away: .microseconds(100))
            now = try #require(client.nextDeadline)
        }
        let before = try #require(client.estimate)
        var requests: [ClockClient.Request] = []
        while let request = client.poll(now: now) { requests.append(request) }
        #expect(requests.count == 4)
        for (index, request) in requests.enumerated() {
            let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .microseconds(100)
            let bytes = try reply(to: request, arrivingAt: session)
            #expect(client.receive(bytes, at: now + .microseconds(200)) == .updated)
            #expect((client.estimate == before) == (index < 3))
        }
    }

    @Test func nothingIsSentBeforeTheDeadline() throws {
        let client = client()
        #expect(client.poll(now: host(0)) != nil)
        #expect(client.poll(now: host(1)) == nil)
        #expect(client.poll(now: try #require(client.nextDeadline)) != nil)
    }

    @Test func duplicatedReplyDoesNotMoveTheClock() throws {
        let (client, now) = try settled()
        let request = try #require(client.poll(now: now))
        let bytes = try reply(
            to: request, arrivingAt: SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .milliseconds(1))
        #expect(client.receive(bytes, at: now + .milliseconds(2)) == .updated)
        let estimate = client.estimate
        #expect(client.receive(bytes, at: now + .milliseconds(3)) == .outOfOrder)
        #expect(client.estimate == estimate)
    }

    @Test func overtakenReplyDoesNotMoveTheClock() throws {
        var (client, now) = try settled()
        let first = try #require(client.poll(now: now))
        now = try #require(client.nextDeadline)
        let second = try #require(client.poll(now: now))
        let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .milliseconds(1)
        #expect(client.receive(try reply(to: second, arrivingAt: session), at: now + .milliseconds(2)) == .updated)
        let estimate = client.estimate
        #expect(client.receive(try reply(to: first, arrivingAt: session), at: now + .milliseconds(2)) == .outOfOrder)
        #expect(client.estimate == estimate)
    }

    @Test func forgedReplyDoesNotMoveTheClock() throws {
        let (client, now) = try settled()
        let request = try #require(client.poll(now: now))
        let estimate = client.estimate
        var forged = ClockDatagram(
            kind: .reply, keyIdentifier: key.identifier, sequence: request.sequence, cookie: 1)
        forged.receive = SessionTime(nanoseconds: 1)
        forged.transmit = SessionTime(nanoseconds: 2)
        let thief = ClockKey(identifier: key.identifier, secret0: 0, secret1: 0)
        #expect(client.receive(forged.encoded(under: thief), at: now + .milliseconds(1)) == .unauthenticated)
        #expect(client.receive(forged.encoded(under: key), at: now + .milliseconds(1)) == .outOfOrder)
        #expect(client.receive(request.bytes, at: now + .milliseconds(1)) == .unauthenticated)
        #expect(client.receive([1, 2, 3], at: now) == .unauthenticated)
        #expect(client.estimate == estimate)
    }

    @Test func lateReplyIsLost() throws {
        let (client, now) = try settled()
        let request = try #require(client.poll(now: now))
        let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead
        #expect(client.receive(try reply(to: request, arrivingAt: session), at: now + .seconds(2)) == .implausible)
    }

    @Test func silenceIsCountedAndBounded() throws {
        let client = client()
        var now = host(0)
        for _ in 0..<500 {
            client.poll(now: now)
            now = try #require(client.nextDeadline)
        }
        #expect(client.estimate == nil)
        #expect(client.statistics.lost > 400)
    }

    /// Asks for so many seconds over a path with these delays each way.
    /// - Returns: how many requests awaited replies at most, from the second second on.
    private func ask(
        _ client: ClientBox, seconds: Int64, others: UInt64 = 0, delay: () -> TimeSpan
    ) throws -> Int {
        var now = host(0)
        var replies: [(bytes: [UInt8], arrival: HostTime)] = []
        var most = 0
        while now < host(seconds * 1_000_000) {
            if let request = client.poll(now: now) {
                let away = delay()
                let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + away
                let arrival = max(now + away * 2, replies.last?.arrival ?? now)
                replies.append((try reply(to: request, arrivingAt: session, others: others), arrival))
            }
            if now > host(1_000_000) { most = max(most, replies.count) }
            let next = try #require(client.nextDeadline)
            while let first = replies.first, first.arrival <= next {
                replies.removeFirst()
                client.receive(first.bytes, at: first.arrival)
            }
            now = next
        }
        return most
    }

    /// Whoever answers late is not asked more than it answers.
    @Test func fewRequestsWaitForLateReplies() throws {
        let most = try ask(client(), seconds: 5) { .milliseconds(200) }
        #expect((3...5).contains(most), "\(most) in flight")
    }

    /// A radio is asked often at first, whoever else is there; an overloaded machine is not, which would keep it so.
    @Test(arguments: [(2, 99, 600...700), (2, 999, 600...700), (100, 99, 130...200), (100, 999, 50...110)])
    func oneOfManyAsksABusyMachineLess(millisecondsAway: Int64, others: UInt64, sent: ClosedRange<Int>) throws {
        let client = client()
        var generator = SplitMix64(seed: 1)
        _ = try ask(client, seconds: 10, others: others) {
            .milliseconds(millisecondsAway) * Double.random(in: 1...2, using: &generator)
        }
        #expect(sent.contains(client.statistics.sent), "\(client.statistics.sent) requests")
    }

    /// Nobody answers: beyond the burst, no more than four a second once the first are given up.
    @Test func silenceIsAskedLessOften() throws {
        let client = client()
        var now = host(0)
        while now < host(10_000_000) {
            client.poll(now: now)
            now = try #require(client.nextDeadline)
        }
        #expect(client.statistics.sent < 70, "\(client.statistics.sent) requests")
    }

    @Test func clockPutBackDoesNotStopTheExchange() throws {
        var (client, now) = try settled()
        now -= .seconds(3_600)
        #expect(client.poll(now: now) != nil)
    }

    @Test func suspicionStartsABurst() throws {
        var (client, now) = try settled()
        client.suspectChange(now: now)
        let start = now
        for _ in 0..<16 {
            try exchange(client, at: now)
            now = try #require(client.nextDeadline)
        }
        #expect(now - start < .milliseconds(150))
    }

    @Test func rememberedSkewIsUsedAtOnce() throws {
        let client = ClientBox(ClockClient(key: key, prior: SkewPrior(skew: PartsPerMillion(42)), seed: 1))
        var now = host(0)
        for _ in 0..<6 {
            let skewed = TimeSpan(seconds: now.nanosecondsAsSeconds * 42e-6)
            let request = try #require(client.poll(now: now))
            let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .milliseconds(1) + skewed
            client.receive(try reply(to: request, arrivingAt: session), at: now + .milliseconds(2))
            now = try #require(client.nextDeadline)
        }
        let estimate = try #require(client.estimate)
        #expect(abs(estimate.skew.value - 42) < 3)
        #expect(estimate.skewBound < PartsPerMillion(10))
    }

    /// Replies that stand in a queue for 3 ms more than requests: 1.5 ms that no exchange can see.
    @Test func withoutSymmetryTheBoundHoldsOnALopsidedPath() throws {
        let client = client()
        var now = host(0)
        for _ in 0..<60 {
            let request = try #require(client.poll(now: now))
            let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .microseconds(200)
            client.receive(try reply(to: request, arrivingAt: session), at: now + .microseconds(3_400))
            now = try #require(client.nextDeadline)
        }
        let estimate = try #require(client.estimate)
        let truth = SessionTime(nanoseconds: estimate.mapping.host.nanoseconds) + Self.ahead
        let error = (estimate.mapping.session(at: estimate.mapping.host) - truth).magnitude
        #expect(error > .microseconds(1_400) && error > estimate.errorBound)
        #expect(error <= estimate.withoutSymmetry.errorBound)
        #expect(estimate.withoutSymmetry.errorBound < estimate.roundTrip)
    }

    @Test func whatWasOnItsWayWhenTheMachineSleptIsNotBelieved() throws {
        let (client, now) = try settled()
        let request = try #require(client.poll(now: now))
        client.startAnew(now: now)
        #expect(client.estimate == nil)
        #expect(client.nextDeadline == now)
        // The reply lay in the network card, or came late: the clock that stamps it stood still in between.
        let session = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .seconds(60)
        #expect(client.receive(try reply(to: request, arrivingAt: session), at: now + .milliseconds(2)) == .outOfOrder)
    }

    @Test func absurdTimesDoNotTrap() {
        let client = client()
        var generator = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let now = HostTime(nanoseconds: Int64(bitPattern: generator.next()))
            guard let request = client.poll(now: now) else { continue }
            guard let sent = ClockDatagram(request.bytes, under: key) else { continue }
            var reply = ClockDatagram(
                kind: .reply, keyIdentifier: key.identifier, sequence: request.sequence, cookie: sent.cookie)
            reply.receive = SessionTime(nanoseconds: Int64(bitPattern: generator.next()))
            reply.transmit = reply.receive + .nanoseconds(Int64(generator.next() % 1_000_000))
            reply.previousSequence = request.sequence &- 1
            reply.previousTransmit = SessionTime(nanoseconds: Int64(bitPattern: generator.next()))
            client.receive(reply.encoded(under: key), at: now + .milliseconds(2))
        }
        // A quarter of all times can be; the others are refused.
        #expect((300..<800).contains(client.statistics.completed))
    }
}

extension HostTime {
    fileprivate var nanosecondsAsSeconds: Double { Double(nanoseconds) * 1e-9 }
}
