import AudioCore
import Broadcasting
import Peering
import Testing
import WireProtocol

/// A broadcast with so many listeners that a look at all of them is worth saving.
@Suite(.timeLimit(.minutes(5))) struct CrowdTests {
    private static let count = 300

    /// None is the broadcaster's own number.
    private func ids(_ count: Int) -> Range<Int> { 1_001..<1_001 + count }

    /// A broadcast of a minute that these listeners have made start.
    private func started(_ count: Int) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.start = .whenReady(listeners: count) }
        broadcast.give(seconds: 60)
        for id in ids(count) { broadcast.join(id) }
        broadcast.handle(.tick)
        for id in ids(count) { broadcast.report(.ready, id) }
        broadcast.wait(.milliseconds(320))
        return broadcast
    }

    private func contact(_ number: Int) -> PeerContact {
        PeerContact(
            key: .instance(UInt64(number)), name: "Late", roles: .listener,
            addresses: [NetworkAddress(host: "10.1.0.\(number)")])
    }

    @Test func allOfManyStartTogether() {
        let broadcast = started(Self.count)
        let anchors = Set(ids(Self.count).map { broadcast.heard[$0]?.anchor })
        #expect(anchors.count == 1 && !anchors.contains(nil))
        #expect(ids(Self.count).allSatisfy { broadcast.heard[$0]?.entries.count == 1 })
    }

    /// So that it is encrypted once.
    @Test func whatSeveralAreSentAtOnceIsShared() {
        var broadcast = started(3)
        broadcast.give(seconds: 60)
        for _ in 0..<20 {
            for id in ids(3) { broadcast.drain(id) }
            broadcast.wait(.milliseconds(200), hearingFrom: Array(ids(3)))
        }
        let last = ids(3).map { (broadcast.shared[$0] ?? []).suffix(4).map(ObjectIdentifier.init) }
        #expect(last[0].count == 4 && Set(last).count == 1)
        let byteCounts = (broadcast.shared[1_001] ?? []).suffix(4).map(\.byteCount)
        #expect(byteCounts.allSatisfy { (1_024...16_384).contains($0) }, "\(byteCounts)")
        #expect(Set(ids(3).map { broadcast.heard[$0]?.end }).count == 1)
    }

    @Test func whatOneOfManyCausesForAllWaitsForTheNextTick() {
        for (count, dials) in [(3, 1), (Self.count, 0)] {
            var broadcast = started(count)
            broadcast.handle(.tick)
            broadcast.handle(.contact(contact(1)))
            #expect(broadcast.dials.count == dials)
            broadcast.handle(.tick)
            #expect(broadcast.dials.count == 1)
        }
    }

    @Test func aLookThatWasLongAgoIsNotWaitedFor() {
        var broadcast = started(Self.count)
        broadcast.handle(.tick)
        broadcast.now += .milliseconds(10)
        broadcast.handle(.contact(contact(1)))
        #expect(broadcast.dials.count == 1)
    }

    @Test func aCommandIsToldToAllAtOnce() {
        var broadcast = started(Self.count)
        broadcast.handle(.tick)
        broadcast.handle(.command(Command(.programme(.pause)), Asker(number: 0, name: "Broadcaster")))
        #expect(ids(Self.count).allSatisfy { broadcast.heard[$0]?.cuts.count == 1 })
    }

    @Test func manyAreAskedForFewerReports() {
        func asked(_ broadcast: ScriptedBroadcast, _ id: Int) -> [ControlMessage] {
            (broadcast.heard[id]?.messages ?? []).filter { if case .reportInterval = $0 { true } else { false } }
        }
        var few = started(3)
        few.wait(.seconds(1), hearingFrom: Array(ids(3)))
        #expect(ids(3).allSatisfy { asked(few, $0).isEmpty })
        var many = started(Self.count)
        many.wait(.seconds(1), hearingFrom: Array(ids(Self.count)))
        #expect(ids(Self.count).allSatisfy { asked(many, $0) == [.reportInterval(.seconds(1))] })
        many.join(5_000)
        #expect(asked(many, 5_000) == [.reportInterval(.seconds(1))])
    }

    /// Each batch costs every listener a few system calls, and a report.
    @Test func manyAreSentMoreAtATime() {
        func batches(_ count: Int) -> Int {
            var (broadcast, counts) = (started(count), [0])
            for _ in 0..<15 {
                for _ in 0..<10 {
                    for id in ids(count) { broadcast.drain(id) }
                    broadcast.wait(.milliseconds(100))
                }
                counts.append(broadcast.shared[1_001]?.count ?? 0)
            }
            return counts[15] - counts[5]
        }
        let (few, many) = (batches(3), batches(Self.count))
        #expect((16...18).contains(few) && (13...15).contains(many), "\(few) and \(many) in 10 s")
    }

    @Test func manyAreLookedAtLessOften() {
        #expect(started(3).session.tickInterval == .milliseconds(50))
        #expect(started(Self.count).session.tickInterval == .milliseconds(100))
    }
}
