import AudioCore
import Broadcasting
import Peering
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct BroadcastSessionTests {
    /// A broadcast of a minute that one ready listener has made start.
    func started(preroll: Int = 0) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60, preroll: preroll)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.drain(1)
        broadcast.wait(.milliseconds(320))
        return broadcast
    }

    @Test func aListenerIsGreetedWelcomedAndGivenTheBeginning() throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1)
        let inbox = try #require(broadcast.heard[1])
        #expect(inbox.messages.first == .greeting(ScriptedBroadcast.greeting))
        guard case .welcome(let welcome) = inbox.messages.dropFirst().first else { throw Missing() }
        #expect(welcome.clockPort == 28_884)
        #expect(inbox.messages.contains(.streamBegins(Epoch(1))))
        #expect(inbox.entries == [EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)])
        #expect(inbox.packets == (0..<20).map { FramePosition($0 * 400) })
        #expect(broadcast.keys.count == 1)
    }

    @Test func theStartIsDecidedWhenTheListenersAreReadyAndGathered() throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1)
        broadcast.wait(.milliseconds(120))
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(20))
        #expect(broadcast.heard[1]?.anchor == nil)
        broadcast.wait(.milliseconds(20))
        let anchor = try #require(broadcast.heard[1]?.anchor)
        #expect(anchor.frame == .zero)
        #expect(anchor.session.nanoseconds - broadcast.now.nanoseconds == 180_000_000)
    }

    /// Behind a radio, with a device that holds sound, and with an offset that has it sound before the others.
    @Test(arguments: [
        (TimeSpan.milliseconds(2), TimeSpan.zero, TimeSpan.zero, 250),
        (.zero, .milliseconds(40), .zero, 220),
        (.zero, .zero, .milliseconds(-30), 210),
        (.milliseconds(90), .milliseconds(400), .milliseconds(-500), 300),
    ]) func theStartDelayIsWhatListenersNeed(roundTrip: TimeSpan, held: TimeSpan, offset: TimeSpan, delay: Int) throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        (broadcast.roundTrips[1], broadcast.irrevocable[1]) = (roundTrip, held)
        broadcast.join(1)
        broadcast.say(WireEncoder.settings(ListenerSettings(offset: offset)), 1)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(160))
        let anchor = try #require(broadcast.heard[1]?.anchor)
        #expect(anchor.session.nanoseconds - broadcast.now.nanoseconds == Int64(delay) * 1_000_000)
    }

    @Test func aListenerThatDoesNotGetReadyIsNotWaitedForLong() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1)
        broadcast.join(2)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(840))
        #expect(broadcast.heard[1]?.anchor == nil)
        broadcast.wait(.milliseconds(40))
        #expect(broadcast.heard[1]?.anchor != nil)
        #expect(broadcast.heard[2]?.anchor != nil)
    }

    @Test func itEndsWhenAllHaveHeardTheEnd() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 1)
        broadcast.source(.ended(.nothing))
        for id in [1, 2] {
            broadcast.join(id)
            broadcast.report(.ready, id)
        }
        broadcast.wait(.milliseconds(320))
        broadcast.wait(.milliseconds(1_280))
        broadcast.report(.finished, 1)
        broadcast.wait(.milliseconds(200))
        #expect(broadcast.outcome == nil)
        broadcast.report(.finished, 2)
        #expect(broadcast.outcome == .completed)
        #expect(broadcast.heard[1]?.farewell?.kind == .completed)
        #expect(broadcast.closed == [1, 2])
        #expect(broadcast.heard[1]?.messages.contains(.streamEnds(Epoch(1), FramePosition(8_000))) == true)
    }

    @Test func aListenerThatNeverSaysItHeardTheEndIsNotWaitedForLong() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 1)
        broadcast.source(.ended(.nothing))
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(320))
        broadcast.wait(.milliseconds(2_500), hearingFrom: [1])
        #expect(broadcast.outcome == nil)
        broadcast.wait(.milliseconds(500), hearingFrom: [1])
        #expect(broadcast.outcome == .completed)
    }

    @Test func aSongThatFailsIsToldApartFromOneThatEnds() {
        var broadcast = started()
        broadcast.source(.failed("disk on fire", .nothing))
        for _ in 0..<70 where broadcast.outcome == nil {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
        }
        #expect(broadcast.heard[1]?.farewell?.kind == .failed)
        #expect(broadcast.outcome == .brokenOff("disk on fire"))
    }

    @Test func aSongWithoutAudioEndsTheBroadcastAtOnce() {
        var broadcast = ScriptedBroadcast()
        broadcast.source(.failed("not audio", .nothing))
        #expect(broadcast.outcome == .unplayable("not audio"))
    }

    @Test func whoeverStopsItTellsAll() {
        var broadcast = started()
        broadcast.handle(.stop)
        #expect(broadcast.heard[1]?.farewell?.kind == .stopped)
        #expect(broadcast.outcome == .stopped)
        #expect(broadcast.closed == [1])
    }

    @Test func ownLoudspeakersThatAreGoneAreNotWaitedFor() {
        var broadcast = ScriptedBroadcast { $0.ownListener = 55 }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Here", instance: 55, direction: .local)
        broadcast.join(2)
        broadcast.report(.ready, 2)
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.wait(.milliseconds(320))
        #expect(broadcast.heard[2]?.anchor != nil)
    }

    /// Anybody learns by mDNS which number the own loudspeakers have.
    @Test func nobodyElseIsTakenForTheOwnLoudspeakers() {
        var broadcast = ScriptedBroadcast {
            $0.allowedNames = ["Kitchen"]
            $0.ownListener = 55
        }
        broadcast.join(1, name: "Here", instance: 55)
        #expect(broadcast.closed == [1])
        broadcast.join(2, name: "Here", instance: 55, direction: .local)
        #expect(broadcast.closed == [1])
    }

    @Test func theOwnLoudspeakersAreNoAudienceThatWasAskedFor() {
        var broadcast = ScriptedBroadcast {
            $0.allowedNames = ["Kitchen"]
            $0.ownListener = 55
        }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Here", instance: 55, direction: .local)
        broadcast.report(.ready, 1)
        broadcast.wait(.seconds(10), hearingFrom: [1])
        #expect(broadcast.outcome == nil && broadcast.heard[1]?.anchor == nil)
        broadcast.wait(.milliseconds(40))
        #expect(broadcast.outcome == .nobody(["Kitchen"]))
        #expect(broadcast.heard[1]?.anchor == nil)
    }

    @Test(arguments: [BroadcastConfiguration.Start.now, .whenReady(listeners: 1)])
    func theOwnLoudspeakersAreWaitedForBesidesTheOthers(start: BroadcastConfiguration.Start) {
        var broadcast = ScriptedBroadcast {
            $0.start = start
            $0.ownListener = 55
        }
        broadcast.give(seconds: 60)
        if start != .now {
            broadcast.join(2)
            broadcast.report(.ready, 2)
            broadcast.wait(.seconds(1))
            #expect(broadcast.heard[2]?.anchor == nil)
        }
        broadcast.join(1, name: "Here", instance: 55, direction: .local)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(320))
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func aListenerThatFallsSilentIsDroppedWithinThreeSeconds() {
        var broadcast = started()
        broadcast.wait(.milliseconds(2_900))
        #expect(broadcast.closed == [1])
        #expect(broadcast.keys.isEmpty)
    }

    @Test func whoIsMissingIsToldOnceWhenTheSongStarts() {
        var broadcast = ScriptedBroadcast {
            $0.allowedNames = ["Attic", "Kitchen"]
            $0.sourceLead = .seconds(3)
        }
        broadcast.give(seconds: 1)
        broadcast.join(1, name: "Attic")
        broadcast.report(.ready, 1)
        for _ in 0..<24 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
            broadcast.drain(1)
        }
        #expect(broadcast.notices == [.joined("Attic")])
        broadcast.give(seconds: 2, properties: false)
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.notices == [.joined("Attic"), .startedWithout(["Kitchen"])])
        #expect(broadcast.session.isPlaying)
    }

    /// Those who were named are there in time, and ready later: nobody is missing.
    @Test func whoIsThereAndNotReadyIsWaitedForAndNotMissing() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Attic", "Kitchen"] }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Attic")
        broadcast.join(2, name: "Kitchen")
        for _ in 0..<24 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
            for id in [1, 2] { broadcast.drain(id) }
        }
        #expect(!broadcast.session.isPlaying && broadcast.outcome == nil)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.session.isPlaying)
        #expect(broadcast.notices == [.joined("Attic"), .joined("Kitchen")])
    }

    private struct Missing: Error {}
}
