import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing
import WireProtocol

/// Who plays with whom.
@Suite(.timeLimit(.minutes(5))) struct ChoiceTests {
    private func song(_ title: String, _ seconds: Int64, _ variant: Int) -> VirtualSong {
        VirtualSong(title: title, duration: .seconds(seconds), variant: variant)
    }

    /// Two broadcasts that play already. The older one has the higher UUID.
    private func twoBroadcasts(_ seed: UInt64) -> (World, BroadcastNode, BroadcastNode) {
        let world = World(seed: seed)
        let older = world.addBroadcaster("Older", song: song("One", 40, 0)) {
            $0.start = .now
            $0.greeting.peer = UUIDBytes(high: 2, low: 0)
        }
        world.run(for: .seconds(3))
        let younger = world.addBroadcaster("Younger", song: song("Two", 20, 1)) {
            $0.start = .now
            $0.greeting.peer = UUIDBytes(high: 1, low: 7)
        }
        world.run(for: .seconds(3))
        return (world, older, younger)
    }

    @Test(arguments: Seeds.short) func theLowestUUIDOfSeveralIsTakenAndThatIsSaid(seed: UInt64) {
        let (world, older, younger) = twoBroadcasts(seed)
        let listener = world.addListener("Listener")
        world.run(for: .seconds(6))
        #expect(listener.broadcasters == ["Younger"], "\(world.replay)")
        let told = listener.notices.compactMap {
            if case .severalFound(let names, "Younger", .lowestUUID) = $0.notice { names.sorted() } else { nil }
        }
        #expect(told == [["Older", "Younger"]], "\(listener.notices); \(world.replay)")
        #expect(
            older.notices.contains {
                if case .busy(_, let text) = $0 { text.contains("Two") && text.contains("Younger") } else { false }
            })
        world.run(for: .seconds(40))
        #expect(listener.hearing(of: younger).isWholeFromEntry, "\(listener.hearing(of: younger)); \(world.replay)")
        // When the first is over, the other is joined in its middle.
        #expect(listener.broadcasters == ["Younger", "Older"], "\(world.replay)")
        let ended = Int(
            ((younger.performance.seconds(of: 8_000 * 20) ?? 0) - (older.performance.seconds(of: 0) ?? 0)) * 50)
        let entered = listener.hearing(of: older).cleanFrom ?? .max
        #expect(entered > ended && entered < ended + 50, "\(listener.hearing(of: older)); \(world.replay)")
    }

    @Test(arguments: Seeds.short) func onlyAllowedBroadcastersFeedAListener(seed: UInt64) {
        let (world, older, younger) = twoBroadcasts(seed)
        let listener = world.addListener("Listener") { $0.allowedNames = ["Older"] }
        let picky = world.addListener("Picky") { $0.allowedNames = ["Somebody else"] }
        world.run(for: .seconds(45))
        #expect(listener.broadcasters == ["Older"], "\(world.replay)")
        #expect(listener.hearing(of: younger).isWholeFromEntry == false)
        #expect(listener.hearing(of: older).isWholeFromEntry, "\(listener.hearing(of: older)); \(world.replay)")
        #expect(picky.ear.firstSound == nil, "\(world.replay)")
        #expect(picky.notices.contains { $0.notice == .nothingFound(wanted: ["Somebody else"]) }, "\(world.replay)")
    }

    @Test(arguments: Seeds.short) func aBroadcastForSomeFeedsOnlyThose(seed: UInt64) throws {
        let world = World(seed: seed)
        for name in ["A", "B", "C"] { world.addListener(name) }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song("One", 8, 0)) { $0.allowedNames = ["A", "C"] }
        world.run(for: .seconds(12))
        expectPromptStart(world, broadcaster)
        expectWhole(world, [world.listeners[0], world.listeners[2]], broadcaster)
        #expect(world.listeners[1].ear.firstSound == nil, "\(world.replay)")
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aListenerWithoutTheCodecIsToldAndLeftOut(seed: UInt64) throws {
        let world = World(seed: seed)
        for name in ["A", "B"] { world.addListener(name) }
        let radio = world.addListener("Radio") { $0.greeting.codecs = [.mpegLayer3] }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song("One", 12, 0))
        world.run(for: .seconds(16))
        expectPromptStart(world, broadcaster)
        expectWhole(world, Array(world.listeners[0...1]), broadcaster)
        expectCompleted(world, broadcaster)
        #expect(radio.ear.firstSound == nil && radio.isIdle, "\(world.replay)")
        // It is asked again every ten seconds; a line is said once.
        let line = "this song is PCM, which Radio cannot decode"
        let refused = ListenNotice.refused(by: "Broadcaster", reason: line)
        #expect(radio.notices.filter { $0.notice == refused }.count == 1, "\(radio.notices); \(world.replay)")
        let told = BroadcastNotice.refused("Radio", Refusal(.cannotDecode, line))
        #expect(broadcaster.notices.count { $0 == told } == 1, "\(world.replay)")
    }

    @Test(arguments: Seeds.short) func aBroadcastForNobodyWhoIsThereSaysSo(seed: UInt64) {
        let world = World(seed: seed)
        world.addListener("A")
        let broadcaster = world.addBroadcaster("Broadcaster", song: song("One", 8, 0)) { $0.allowedNames = ["Z"] }
        world.run(for: .seconds(12))
        #expect(broadcaster.outcome == .nobody(["Z"]), "\(world.replay)")
        #expect(world.listeners[0].ear.firstSound == nil, "\(world.replay)")
    }

    @Test(arguments: Seeds.short) func twoBroadcastsShareTheListenersWithoutAnyHearingBoth(seed: UInt64) throws {
        let world = World(seed: seed)
        for index in 1...6 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let one = world.addBroadcaster("One", song: song("One", 10, 0))
        let two = world.addBroadcaster("Two", song: song("Two", 10, 1))
        world.run(for: .seconds(9))
        for listener in world.listeners {
            let hearings = [one, two].map { listener.hearing(of: $0) }
            let heard = hearings.filter { $0.windows.contains { $0?.content == .song } }
            #expect(heard.count == 1, "\(listener.name) heard \(hearings); \(world.replay)")
            let flaws = heard.first?.flaws ?? []
            #expect(flaws.allSatisfy { $0 <= (heard.first?.first ?? 0) + 1 }, "\(heard); \(world.replay)")
        }
    }
}
