import AudioCore
import Testing
import WireProtocol

@testable import ListenerLoad

@Suite(.timeLimit(.minutes(5))) struct ReceptionCheckTests {
    private let count = ReceivedBroadcast.packetCount

    @Test func aWholeSongIsFlawless() throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.packets(0..<20)
        try said.anchor()
        for start in stride(from: 20, to: count, by: 4) { try said.packets(start..<start + 4) }
        try said.end()
        let figures = said.check.figures
        #expect(figures.isFlawless && figures.packets == count && figures.ends == 1 && figures.preroll == 0)
        #expect(said.margins.count == 11)
        // The first message was there a second before its first frame, before the anchor was known.
        #expect(said.margins.least == .seconds(1))
    }

    @Test(arguments: [0, 3, 417 * 2 + 100])
    func aChangedByteIsFound(place: Int) throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.packets(0..<30) { $0[place] ^= 1 }
        try said.packets(30..<count)
        #expect(said.check.figures.mismatched == 1 && !said.check.figures.isFlawless)
    }

    @Test func whatIsMissingIsCounted() throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.packets(0..<10)
        try said.packets(13..<20)
        #expect(said.check.figures.missing == 3)
        try said.end()
        #expect(said.check.figures.missing == 3 + count - 20)
    }

    @Test func whatIsRepeatedIsCounted() throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.packets(0..<10)
        try said.packets(8..<20)
        #expect(said.check.figures.repeated == 2 && said.check.figures.missing == 0)
    }

    @Test func lossesThatAreToldAreCounted() throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.packets(0..<10)
        try said.enter(at: 30, lost: 20)
        // Two packets of pre-roll and some more come again, or late.
        try said.packets(20..<40)
        let figures = said.check.figures
        #expect(figures.told == 20 && figures.missing == 20 && figures.repeated == 0 && figures.entries == 2)
    }

    @Test func prerollIsNoRepetitionAndNoMoreThanNeeded() throws {
        let needed = ReceivedBroadcast.song.prerollPacketCount
        try #require((1..<30).contains(needed))
        var said = try ReceivedBroadcast()
        try said.enter(at: 40)
        try said.anchor()
        try said.packets(40 - needed - 2..<44, at: .milliseconds(500))
        #expect(said.check.figures.preroll == needed + 2 && said.check.figures.wrongPreroll == 0)
        // Judged by its first audible packet.
        #expect(said.margins.least == ReceivedBroadcast.due(40) - .milliseconds(500))

        for start in [0, 40 - needed + 1] {
            var other = try ReceivedBroadcast()
            try other.enter(at: 40)
            try other.packets(start..<44)
            #expect(other.check.figures.wrongPreroll == 1, "from \(start) on, \(needed) needed")
        }
    }

    @Test func everyPacketThatIsLateIsCounted() throws {
        var said = try ReceivedBroadcast()
        try said.enter()
        try said.anchor()
        // Packets 10 and 11 were due by then, 12 was not.
        try said.packets(0..<10)
        try said.packets(10..<14, at: ReceivedBroadcast.due(11) + .milliseconds(1))
        #expect(said.check.figures.late == 2)
        #expect(said.margins.least == ReceivedBroadcast.due(10) - ReceivedBroadcast.due(11) - .milliseconds(1))
    }

    @Test func aJoinerMayMissWhatIsDueAtOnce() throws {
        var said = try ReceivedBroadcast()
        let now = ReceivedBroadcast.due(20)
        try said.enter(at: 20, now: now)
        try said.anchor()
        try said.packets(20..<24, at: now + .milliseconds(5))
        #expect(said.check.figures.late == 0 && said.check.figures.catchUp == 1 && said.margins.count == 0)
        try said.packets(24..<50, at: ReceivedBroadcast.due(24) + .milliseconds(1))
        #expect(said.check.figures.catchUp == 2)
        try said.packets(50..<54, at: ReceivedBroadcast.due(50) + .milliseconds(1))
        #expect(said.check.figures.late == 1)
    }

    @Test func whatIsOutOfTurnIsFound() throws {
        var said = try ReceivedBroadcast()
        try said.packets(0..<4)
        #expect(said.check.figures.unexpected == 1)
        try said.enter()
        try said.enter()
        #expect(said.check.figures.unexpected == 2)
        try said.anchor(Epoch(2))
        #expect(said.check.figures.unexpected == 3 && said.check.anchor == nil)
    }
}
