import AudioCore
import ClockSync
import Testing

@testable import ClockExchange

@Suite(.timeLimit(.minutes(5))) struct RequestGatheringTests {
    /// Requests a second.
    @Test(arguments: [4.0, 200, 400, 630]) func fewGatherForTheLongestTime(rate: Double) {
        var gathering = RequestGathering()
        for _ in 0..<100 { gathering.note(count: Int(rate * gathering.span.seconds)) }
        #expect(gathering.span == ClockLimits.gatheringTime)
    }

    @Test(arguments: [1_300.0, 4_000, 8_000, 40_000]) func manyNeverFillTheSocket(rate: Double) {
        var gathering = RequestGathering()
        // What a thread answers at a time is all that it sees.
        for _ in 0..<10 { gathering.note(count: min(64, Int(rate * gathering.span.seconds))) }
        for _ in 0..<100 {
            let count = Int(rate * gathering.span.seconds)
            #expect(count >= 16 && count < 64)
            gathering.note(count: min(64, count))
        }
    }

    @Test func afterAFloodRequestsGatherAgain() {
        var gathering = RequestGathering()
        for _ in 0..<1_000 { gathering.note(count: 64) }
        #expect(gathering.span == RequestGathering.shortest)
        for _ in 0..<10 { gathering.note(count: 0) }
        #expect(gathering.span == ClockLimits.gatheringTime)
    }
}
