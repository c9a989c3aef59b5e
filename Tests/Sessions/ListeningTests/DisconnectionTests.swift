import AudioCore
import Peering
import Testing
import WireProtocol

@testable import Listening

/// Who was lost, and what the time without it cost.
@Suite(.timeLimit(.minutes(5))) struct DisconnectionTests {
    private var disconnection = Disconnection()
    private let start = HostTime(nanoseconds: 5_000_000_000)
    private let place = Disconnection.Place(epoch: Epoch(3), received: FramePosition(800))

    private func greeting(_ name: String, instance: UInt64 = 7, peer: UInt64 = 1) -> Greeting {
        Greeting(roles: .broadcaster, peer: UUIDBytes(high: 0, low: peer), instance: instance, started: 0, name: name)
    }

    @Test mutating func whoWasNotLostIsNew() {
        #expect(disconnection.join(greeting("Attic"), now: start) == .new)
        #expect(disconnection.goOn(at: FramePosition(9), of: Epoch(3)) == nil)
    }

    @Test mutating func whoWasToldOfIsBack() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        disconnection.noteTold()
        #expect(disconnection.join(greeting("Attic"), now: start + .seconds(4)) == .back(after: .seconds(4)))
        #expect(!disconnection.awaits(greeting("Attic")))
    }

    /// A crossed dial: nobody needs to hear of it, unless the other connection does not come.
    @Test mutating func whatNobodyWasToldOfIsHandedOver() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        #expect(!disconnection.shouldReportLoss(now: start + PeeringLimits.handoverTime))
        #expect(disconnection.shouldReportLoss(now: start + PeeringLimits.handoverTime + .milliseconds(1)))
        #expect(disconnection.join(greeting("Attic"), now: start + .milliseconds(3)) == .handedOver)
    }

    @Test mutating func aLossIsToldOnce() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        disconnection.noteTold()
        #expect(!disconnection.shouldReportLoss(now: start + .seconds(60)))
    }

    /// A broadcaster that was started anew is known by its peer and its name.
    @Test mutating func itsSuccessorIsAwaitedToo() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        #expect(disconnection.awaits(greeting("Attic", instance: 8)))
        #expect(!disconnection.awaits(greeting("Cellar")) && !disconnection.awaits(greeting("Attic", peer: 2)))
        #expect(disconnection.join(greeting("Attic", instance: 8), now: start) == .new)
        #expect(disconnection.goOn(at: FramePosition(4_000), of: Epoch(3)) == nil)
    }

    @Test(arguments: [(4_000, 3, 3_200), (800, 3, nil), (400, 3, nil), (4_000, 4, nil)] as [(Int64, UInt32, Int64?)])
    mutating func whatLacksIsTold(frame: Int64, epoch: UInt32, gap: Int64?) {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        _ = disconnection.join(greeting("Attic"), now: start)
        #expect(disconnection.goOn(at: FramePosition(frame), of: Epoch(epoch)) == gap)
        // Once.
        #expect(disconnection.goOn(at: FramePosition(frame), of: Epoch(epoch)) == nil)
    }

    /// It broke again before it said where it goes on.
    @Test mutating func theFirstOfTwoLossesCounts() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        _ = disconnection.join(greeting("Attic"), now: start)
        disconnection.lose(greeting("Attic"), at: nil, now: start)
        _ = disconnection.join(greeting("Attic"), now: start)
        #expect(disconnection.goOn(at: FramePosition(4_000), of: Epoch(3)) == 3_200)
    }

    /// Who heard another broadcast meanwhile has not lost what this one played.
    @Test mutating func anotherBroadcastEndsIt() {
        disconnection.lose(greeting("Attic"), at: place, now: start)
        #expect(disconnection.join(greeting("Cellar", instance: 9, peer: 2), now: start) == .new)
        _ = disconnection.join(greeting("Attic"), now: start)
        #expect(disconnection.goOn(at: FramePosition(4_000), of: Epoch(3)) == nil)
    }
}
