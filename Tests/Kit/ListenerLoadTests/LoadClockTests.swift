import AudioCore
import ClockSync
import Testing

@testable import ListenerLoad

/// Clocks of a load on a wire, against a broadcaster that answers at once.
@Suite(.timeLimit(.minutes(5))) struct LoadClockTests {
    private static let key = ClockKey(identifier: 1, secret0: 2, secret1: 3)
    private static let ahead = TimeSpan.seconds(5)

    private func responder(others: Int) -> ClockResponder {
        var responder = ClockResponder()
        responder.register(Self.key)
        for other in 0..<others { responder.register(ClockKey(identifier: UInt64(other + 2), secret0: 0, secret1: 0)) }
        return responder
    }

    /// - Returns: how many requests it sent.
    private func run(
        _ clock: inout any LoadClock, _ responder: inout ClockResponder, from start: HostTime, to end: HostTime
    ) -> Int {
        let before = clock.exchanges.sent
        var now = start
        while now < end {
            if let request = clock.poll(now: now) {
                clock.didSend(sequence: request.sequence, at: now)
                let arrival = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead + .microseconds(200)
                let reply = responder.receive(request.bytes, at: arrival)
                reply.map { clock.receive($0.bytes(transmit: arrival), at: now + .microseconds(400)) }
            }
            now = max(now + .milliseconds(1), clock.nextDeadline ?? now)
        }
        return clock.exchanges.sent - before
    }

    /// What a broadcaster bears must not depend on what its listeners compute.
    @Test(arguments: [999, 4_999]) func bothKindsAskAlike(others: Int) throws {
        var clocks: [any LoadClock] = [FittedClock(key: Self.key), MidpointClock(key: Self.key)]
        var responders = clocks.map { _ in responder(others: others) }
        var now = HostTime(nanoseconds: 1_000_000_000)
        for _ in 0..<4 {
            let end = now + .seconds(20)
            let sent = clocks.indices.map { run(&clocks[$0], &responders[$0], from: now, to: end) }
            #expect(abs(sent[0] - sent[1]) <= sent[0] / 4, "\(sent)")
            now = end
        }
        let estimate = try #require(clocks[1].estimate)
        let truth = SessionTime(nanoseconds: now.nanoseconds) + Self.ahead
        #expect((estimate.mapping.session(at: now) - truth).magnitude < .microseconds(1))
        #expect(clocks.allSatisfy { $0.exchanges.answered == $0.exchanges.sent })
    }

    @Test func aMidpointTakesNoReplyButItsOwn() throws {
        var clock = MidpointClock(key: Self.key)
        var responder = responder(others: 0)
        let now = HostTime(nanoseconds: 1_000_000_000)
        let asked = clock.poll(now: now)
        let request = try #require(asked)
        let answer = responder.receive(request.bytes, at: SessionTime(nanoseconds: 5))
        let reply = try #require(answer)
        var bytes = reply.bytes(transmit: SessionTime(nanoseconds: 6))
        bytes[30] ^= 1
        clock.receive(bytes, at: now + .milliseconds(1))
        #expect(clock.estimate == nil && clock.exchanges.ignored == 1)
        bytes[30] ^= 1
        for _ in 0..<2 { clock.receive(bytes, at: now + .milliseconds(1)) }
        #expect(clock.estimate != nil && clock.exchanges.answered == 1 && clock.exchanges.ignored == 2)
    }
}
