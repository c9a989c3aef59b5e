import AudioCore
import Controlling
import Households
import NIOCore
import Peering
import Testing
import WireProtocol

/// What a controller looks up, beside what it asks for else.
@Suite(.timeLimit(.minutes(5))) struct LookupTests {
    private static let artwork = LookupSubject.artwork(of: ItemID(7))
    private static let songs = LookupSubject.songs(query: "nina", limit: 5)

    private func talking(_ requests: [ControlRequest]) -> ControlScene {
        var scene = ControlScene(.any, requests)
        scene.open(1, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        return scene
    }

    private func lookups(_ scene: ControlScene) -> [Lookup] {
        scene.sent[1]?.compactMap { if case .lookup(let lookup) = $0 { lookup } else { nil } } ?? []
    }

    private func find(_ bytes: [UInt8], _ scene: inout ControlScene) {
        guard let lookup = lookups(scene).last else { Issue.record("nothing was looked up"); return }
        let part = ByteBuffer(bytes: bytes[lookup.offset...].prefix(WireLimits.findingPartByteCount))
        let content = Finding.Content.part(ofByteCount: bytes.count, offset: lookup.offset, bytes: part)
        scene.say(WireEncoder.finding(Finding(id: lookup.id, content)))
    }

    @Test func aWholeIsAskedForPartByPart() {
        var scene = talking([.lookup(Self.artwork)])
        let picture = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        for _ in 0..<4 { find(picture, &scene) }
        #expect(
            lookups(scene).map(\.offset) == [0, 16_384, 32_768, 49_152] && Set(lookups(scene).map(\.id)).count == 1)
        #expect(scene.answers.last == .found(Self.artwork, picture))
        scene.wait(.milliseconds(5))
        #expect(scene.ending == .done)
    }

    @Test func whatHasNoBytesIsFound() {
        var scene = talking([.lookup(Self.songs)])
        find([], &scene)
        #expect(scene.answers.last == .found(Self.songs, []))
    }

    @Test func nothingIsNoFailure() {
        var scene = talking([.lookup(Self.artwork), .lookup(Self.songs)])
        scene.say(WireEncoder.finding(Finding(id: lookups(scene)[0].id, .nothing(reason: "gone"))))
        #expect(scene.answers.last == .foundNothing(Self.artwork, reason: "gone"))
        #expect(lookups(scene).map(\.subject) == [Self.artwork, Self.songs])
        find([1], &scene)
        scene.wait(.milliseconds(5))
        #expect(scene.answers.last == .found(Self.songs, [1]) && scene.ending == .done)
    }

    /// A command is answered while a song is read for a lookup.
    @Test func nothingElseWaitsForIt() {
        var scene = talking([.lookup(Self.artwork), .command(Command(.programme(.pause)))])
        guard case .command(let command)? = scene.sent[1]?.last else { Issue.record("no command"); return }
        let done = CommandOutcome.Verdict.done(number: 1, effect: SessionTime(nanoseconds: 0))
        scene.say(WireEncoder.outcome(CommandOutcome(id: command.id, done)))
        #expect(scene.answers.contains { if case .outcome = $0 { true } else { false } } && scene.ending == nil)
        find([1], &scene)
        scene.wait(.milliseconds(5))
        #expect(scene.ending == .done)
    }

    /// Another version does not know of lookups, and says nothing.
    @Test func whoSaysNothingHasNothing() {
        var scene = talking([.lookup(Self.artwork)])
        for _ in 0..<120 {
            scene.wait(.milliseconds(500))
            scene.say(WireEncoder.keepAlive())
        }
        scene.wait(.milliseconds(10))
        guard case .foundNothing(Self.artwork, _)? = scene.answers.last else { Issue.record("no answer"); return }
        #expect(scene.ending == .done)
    }

    @Test func aFileThatIsReplacedMeanwhileIsNotMixed() {
        var scene = talking([.lookup(Self.artwork)])
        let bytes = [UInt8](repeating: 1, count: 40_000)
        find(bytes, &scene)
        find(bytes + [2], &scene)
        guard case .foundNothing? = scene.answers.last else { Issue.record("\(scene.answers)"); return }
    }

    @Test func whatWasNotAskedForIsPassedOver() {
        var scene = talking([.lookup(Self.artwork)])
        let foreign = Finding(id: .random(), .part(ofByteCount: 1, offset: 0, bytes: ByteBuffer(bytes: [9])))
        scene.say(WireEncoder.finding(foreign))
        let ahead = Finding(
            id: lookups(scene)[0].id, .part(ofByteCount: 10, offset: 5, bytes: ByteBuffer(repeating: 9, count: 5)))
        scene.say(WireEncoder.finding(ahead))
        #expect(lookups(scene).count == 1 && !scene.answers.contains { if case .found = $0 { true } else { false } })
    }

    /// A listener has a library, and no broadcast.
    @Test func aListenerIsAskedForSongsAlone() {
        for (request, isAsked) in [(ControlRequest.lookup(Self.songs), true), (.state, false)] {
            var scene = ControlScene(.address(.init(host: "10.0.0.1")), [request])
            scene.handle(.tick)
            guard let dial = scene.dials.first else { Issue.record("nobody was called"); return }
            scene.handle(.opened(ConnectionID(1), .dialed(dial), address: "10.0.0.1"))
            scene.greet(1, "Attic", roles: .listener)
            #expect((scene.ending == nil) == isAsked && !lookups(scene).isEmpty == isAsked)
        }
    }

    /// What a stranger says of its machine, and of what mends it, nobody is to read.
    @Test(arguments: [PeerStanding.member, .thisMachine, .stranger, .guest, .removed])
    func whatIsWrongWithAMachineIsAskedOfMembersAlone(standing: PeerStanding) {
        var scene = ControlScene(.address(.init(host: "10.0.0.1")), [.lookup(.findings)])
        scene.handle(.tick)
        guard let dial = scene.dials.first else { Issue.record("nobody was called"); return }
        scene.open(1, as: standing, by: dial)
        scene.greet(1, "Attic", roles: .listener)
        #expect(lookups(scene).isEmpty != standing.mayReadLibrary)
        if !standing.mayReadLibrary { #expect(scene.ending == .notOfHousehold(["10.0.0.1:28884"])) }
    }

    /// Nobody waits for what a song that is over had, nor for the loudness of a song that has words.
    @Test func theSongThatPlaysComesFirst() {
        var scene = ControlScene(.any, [.changes])
        scene.open(1, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        for number in 1...3 as ClosedRange<UInt32> {
            for subject in [
                LookupSubject.lyrics(of: ItemID(number)), .artwork(of: ItemID(number)), .levels(of: ItemID(number)),
            ] { scene.handle(.request(.lookup(subject))) }
        }
        #expect(lookups(scene).map(\.subject) == [.lyrics(of: ItemID(1)), .levels(of: ItemID(1))])
        for lookup in lookups(scene) { scene.say(WireEncoder.finding(Finding(id: lookup.id, .nothing(reason: "")))) }
        #expect(lookups(scene).suffix(2).map(\.subject) == [.lyrics(of: ItemID(3)), .levels(of: ItemID(3))])
    }
}
