import AudioCore
import ClockSync
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

/// How long before its effect a command is given: as long as the worst fed listener needs, and 300 ms at most.
@Suite(.timeLimit(.minutes(5))) struct CommandLeadTests {
    /// What a listener says of its way and its device.
    struct Needs {
        var roundTrip = TimeSpan.zero
        var held = TimeSpan.zero
    }

    /// Listeners 1 and on, and a song that has played for a second.
    private func playing(_ listeners: [Needs]) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["a", "b"]) }
        broadcast.give(seconds: 10)
        for (index, needs) in listeners.enumerated() {
            broadcast.roundTrips[index + 1] = needs.roundTrip
            broadcast.irrevocable[index + 1] = needs.held
            broadcast.join(index + 1)
            broadcast.report(.ready, index + 1)
        }
        broadcast.wait(.milliseconds(1_400))
        for id in 1...listeners.count { broadcast.report(.playing, id) }
        return broadcast
    }

    private func perform(_ operation: ProgrammeOperation, _ broadcast: inout ScriptedBroadcast) {
        broadcast.handle(.command(Command(.programme(operation)), Asker(number: 0, name: "Attic")))
    }

    private func lead(ofPauseIn broadcast: inout ScriptedBroadcast) throws -> TimeSpan {
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        return try #require(broadcast.heard[1]?.anchor).session(of: cut.frame) - now(broadcast)
    }

    private func now(_ broadcast: ScriptedBroadcast) -> SessionTime {
        ClockMapping.identity.session(at: broadcast.now)
    }

    private func expect(_ span: TimeSpan, _ wanted: TimeSpan, sourceLocation: SourceLocation = #_sourceLocation) {
        // Cuts are at whole frames.
        #expect(
            abs((span - wanted).seconds) < 1 / ScriptedBroadcast.rate, "\(span.milliseconds) ms",
            sourceLocation: sourceLocation)
    }

    private static let base = BroadcastLimits.deviceLead

    private static let roundTrips: [(TimeSpan, lead: TimeSpan)] = [
        (.zero, base), (.milliseconds(100), base + .milliseconds(100)), (.seconds(1), .milliseconds(300)),
        // Whatever a listener says.
        (.nanoseconds(.max), .milliseconds(300)), (.seconds(-1), base), (.nanoseconds(.min), base),
    ]

    @Test(arguments: roundTrips)
    func aCommandWaitsForTheWorstRoundTrip(roundTrip: TimeSpan, wanted: TimeSpan) throws {
        var broadcast = playing([Needs(), Needs(roundTrip: roundTrip)])
        expect(try lead(ofPauseIn: &broadcast), wanted)
    }

    private static let cards: [(Needs, lead: TimeSpan)] = [
        (Needs(held: .milliseconds(150)), base + .milliseconds(150)),
        (Needs(roundTrip: .milliseconds(40), held: .milliseconds(150)), base + .milliseconds(190)),
        (Needs(roundTrip: .milliseconds(200), held: .milliseconds(150)), .milliseconds(300)),
        (Needs(held: .milliseconds(480)), .milliseconds(300)),
        (Needs(held: .seconds(10)), .milliseconds(300)),
    ]

    @Test(arguments: cards)
    func aCommandWaitsForWhatACardKeeps(needs: Needs, wanted: TimeSpan) throws {
        var broadcast = playing([Needs(), needs])
        expect(try lead(ofPauseIn: &broadcast), wanted)
    }

    /// One listener's card and another one's way do not add up.
    @Test func theWorstListenerCounts() throws {
        var broadcast = playing([Needs(roundTrip: .milliseconds(100)), Needs(held: .milliseconds(150))])
        expect(try lead(ofPauseIn: &broadcast), Self.base + .milliseconds(150))
    }

    @Test func aListenerThatCannotSoundYetIsNotWaitedFor() throws {
        var broadcast = playing([Needs(), Needs(roundTrip: .seconds(1), held: .milliseconds(150))])
        broadcast.report(.preparing, 2)
        expect(try lead(ofPauseIn: &broadcast), Self.base)
    }

    /// The silence that a card keeps is heard before what is resumed.
    @Test func aResumedSongBeginsBehindWhatACardKeeps() throws {
        var broadcast = playing([Needs(held: .milliseconds(150))])
        _ = try lead(ofPauseIn: &broadcast)
        broadcast.wait(.seconds(1))
        perform(.resume, &broadcast)
        expect(try #require(broadcast.heard[1]?.anchors.last).session - now(broadcast), Self.base + .milliseconds(150))
    }

    private static let jumps: [(Needs, delay: TimeSpan)] = [
        (Needs(), .milliseconds(150)),
        (Needs(held: .milliseconds(60)), .milliseconds(210)),
        (Needs(held: .milliseconds(150)), .milliseconds(300)),
        (Needs(held: .milliseconds(480)), .milliseconds(300)),
        (Needs(roundTrip: .milliseconds(160)), base + .milliseconds(160)),
    ]

    @Test(arguments: jumps)
    func aSongThatIsJumpedToBeginsBehindWhatACardKeeps(needs: Needs, delay: TimeSpan) throws {
        var broadcast = playing([needs])
        broadcast.drain(1)
        perform(.next, &broadcast)
        // By then what sounded was cut: the place of the song does not come from that.
        broadcast.wait(.milliseconds(600))
        let target = try #require(broadcast.opened.last?.epoch)
        broadcast.give(seconds: 10, of: target)
        broadcast.drain(1)
        let anchor = try #require(broadcast.heard[1]?.anchors.last)
        #expect(anchor.epoch == target)
        expect(anchor.session - now(broadcast), delay)
    }

    @Test func aCardThatKeepsMoreThanCommandsAllowForIsToldOfOnce() {
        let most = BroadcastLimits.longestCommandLead - Self.base
        var broadcast = playing([Needs(held: most), Needs(held: .milliseconds(480))])
        broadcast.irrevocable[2] = .milliseconds(490)
        for _ in 0..<3 { for id in 1...2 { broadcast.report(.playing, id) } }
        let told = broadcast.notices.filter { if case .followsLate = $0 { true } else { false } }
        #expect(told == [.followsLate("Listener 2", held: .milliseconds(480))])
    }

    @Test func aListenerThatIsNotReadyIsNotToldOf() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 10)
        broadcast.irrevocable[1] = .milliseconds(480)
        broadcast.join(1)
        broadcast.report(.preparing, 1)
        #expect(!broadcast.notices.contains(.followsLate("Listener 1", held: .milliseconds(480))))
        broadcast.report(.ready, 1)
        #expect(broadcast.notices.contains(.followsLate("Listener 1", held: .milliseconds(480))))
    }
}
