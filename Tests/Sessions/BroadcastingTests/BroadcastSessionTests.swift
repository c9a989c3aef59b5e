import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct BroadcastSessionTests {
    /// A broadcast of a minute that one ready listener has made start.
    private func started(preroll: Int = 0) -> ScriptedBroadcast {
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

    /// A listener whose connection broke has seven seconds of song, and says so; it is not sent them again.
    @Test func aListenerThatIsBackIsSentWhatItLacks() throws {
        var broadcast = started()
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.join(2, instance: 1)
        let sent = try #require(broadcast.heard[2]?.packets.last)
        // As much as may be on its way.
        #expect(sent.index < 5 * 8_000)
        broadcast.report(.playing, 2, received: FramePosition(7 * 8_000))
        broadcast.drain(2)
        let packets = try #require(broadcast.heard[2]?.packets)
        #expect(packets.filter { $0 > sent }.first == FramePosition(7 * 8_000))
        #expect((packets.last?.index ?? 0) > 9 * 8_000)
    }

    @Test func theStartIsDecidedWhenTheListenersAreReadyAndGathered() throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1)
        broadcast.wait(.milliseconds(200))
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(80))
        #expect(broadcast.heard[1]?.anchor == nil)
        broadcast.wait(.milliseconds(20))
        let anchor = try #require(broadcast.heard[1]?.anchor)
        #expect(anchor.frame == .zero)
        #expect(anchor.session.nanoseconds - broadcast.now.nanoseconds == 250_000_000)
    }

    @Test func aListenerThatDoesNotGetReadyIsNotWaitedForLong() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1)
        broadcast.join(2)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(900))
        #expect(broadcast.heard[1]?.anchor == nil)
        broadcast.wait(.milliseconds(120))
        #expect(broadcast.heard[1]?.anchor != nil)
        #expect(broadcast.heard[2]?.anchor != nil)
    }

    @Test func packetsAreSentUpToTheHorizon() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        let last = try #require(broadcast.heard[1]?.packets.last)
        #expect(last.index >= 77_000 && last.index <= 84_800)
    }

    /// Messages of 100 ms come five or six at a time; never is there less than the horizon.
    @Test func whoHasEnoughIsSentSeveralMessagesAtOnce() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        let start = try #require(broadcast.heard[1]?.packets.last)
        var (last, batches) = (start, 0)
        for tick in 1...200 {
            broadcast.say(WireEncoder.keepAlive(), 1)
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
            let end = try #require(broadcast.heard[1]?.packets.last)
            try #require(end.index >= start.index - 4_800 + Int64(tick) * 160, "\(tick)")
            if end != last { batches += 1 }
            last = end
        }
        #expect((6...8).contains(batches), "\(batches)")
    }

    @Test func aSocketThatTakesNothingIsGivenLittle() throws {
        var broadcast = started()
        for second in 1...5 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
            broadcast.report(.playing, 1, received: FramePosition(Int64(second) * 8_000))
        }
        let unread = try #require(broadcast.heard[1]?.unread)
        #expect(unread > 60_000 && unread < 70_000)
    }

    /// Whatever the sockets take: seconds of song could hide in them.
    @Test func aListenerThatDoesNotSayWhatItHasIsGivenASecondMore() throws {
        var broadcast = started()
        let bytes = try #require(broadcast.heard[1]).unread
        broadcast.handle(.wrote(ConnectionID(1), byteCount: bytes))
        broadcast.wait(.milliseconds(1_900), hearingFrom: [1])
        #expect(broadcast.heard[1]?.end == FramePosition(2 * 8_000))
        broadcast.report(.playing, 1, received: FramePosition(3 * 4_000))
        #expect(broadcast.heard[1]?.end == FramePosition(5 * 4_000))
        #expect(broadcast.heard[1]?.entries.count == 1)
    }

    @Test func aListenerThatFellBehindLosesPacketsAndIsToldHowMany() throws {
        var broadcast = started()
        func wait(_ span: TimeSpan) {
            let end = broadcast.now + span
            while broadcast.now < end {
                broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
                broadcast.drain(1)
            }
        }
        broadcast.join(2)
        let before = try #require(broadcast.heard[2]?.packets.last)
        // A second is on the way.
        wait(.milliseconds(1_000))
        #expect(broadcast.heard[2]?.entries.count == 1)
        for _ in 0..<3 {
            wait(.milliseconds(4_000))
            broadcast.drain(2)
        }
        let marks = try #require(broadcast.heard[2]?.entries)
        let packets = try #require(broadcast.heard[2]?.packets)
        let gaps = zip(packets, packets.dropFirst()).filter { $1 - $0 != 400 }
        #expect(marks.count == gaps.count + 1 && marks.count > 1)
        for (mark, gap) in zip(marks.dropFirst(), gaps) {
            #expect(mark.frame == gap.1)
            #expect(Int64(mark.lostPacketCount) * 400 == gap.1 - gap.0 - 400)
        }
        #expect((packets.last ?? .zero) > before)
        #expect(broadcast.heard[1]?.entries.count == 1)
        let lines = broadcast.notices.count { if case .dropped("Listener 2", _) = $0 { true } else { false } }
        #expect(lines > 0 && lines < marks.count, "\(broadcast.notices)")
    }

    /// Nothing overtakes what its socket took and it has not told of: with what it goes on is decided when that has
    /// come.
    @Test func aSlowListenerGoesOnWhenItHasWhatIsOnTheWay() throws {
        var broadcast = started()
        broadcast.join(2)
        for _ in 0..<12 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
            broadcast.drain(1)
            let taken = broadcast.heard[2]?.unread ?? 0
            broadcast.heard[2]?.unread = 0
            broadcast.handle(.wrote(ConnectionID(2), byteCount: taken))
            broadcast.report(.playing, 2, received: .zero)
        }
        #expect(broadcast.heard[2]?.packets.count == 20)
        #expect(broadcast.heard[2]?.entries.count == 1)
        broadcast.report(.playing, 2)
        #expect(broadcast.heard[2]?.packets.count == 40)
        let mark = try #require(broadcast.heard[2]?.entries.last)
        let lead = mark.frame - broadcast.session.playPosition(broadcast.now)
        #expect((3_200...4_000).contains(lead), "\(lead)")
    }

    /// What is due at once would come as late as what is on the way: it goes on with what can come in time, and so a
    /// good part of the song is heard over a link that carries half of it.
    @Test func aSlowListenerGoesOnWithWhatCanReachItInTime() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        broadcast.join(2)
        broadcast.report(.preparing, 2)
        let start = broadcast.now
        var (received, inTime) = (FramePosition.zero, Set<FramePosition>())
        for tick in 1...2_000 {
            for id in [1, 2] where tick % 20 == 0 { broadcast.say(WireEncoder.keepAlive(), id) }
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
            // A packet of 50 ms every 100 ms; the socket takes what it is given.
            let sent = try #require(broadcast.heard[2])
            broadcast.handle(.wrote(ConnectionID(2), byteCount: sent.unread))
            broadcast.heard[2]?.unread = 0
            guard tick % 5 == 0, sent.packets.indices.contains(tick / 5 - 1) else { continue }
            let packet = sent.packets[tick / 5 - 1]
            received = packet + 400
            if packet > broadcast.session.playPosition(broadcast.now) { inTime.insert(packet) }
            if tick % 25 == 0 { broadcast.report(.playing, 2, received: received) }
        }
        #expect(broadcast.now - start > .seconds(39))
        let heard = Double(inTime.count) * 0.05
        #expect(heard > 8 && heard < 21, "\(heard) s of 40 s")
        #expect(broadcast.closed.isEmpty)
    }

    @Test func aSocketThatTakesNothingForFiveSecondsIsClosed() {
        var broadcast = started()
        broadcast.join(2)
        broadcast.wait(.seconds(4), hearingFrom: [1, 2])
        broadcast.drain(1)
        #expect(broadcast.closed.isEmpty)
        broadcast.wait(.seconds(2), hearingFrom: [1, 2])
        #expect(broadcast.closed == [2])
        #expect(broadcast.keys.count == 1)
    }

    @Test func aLateListenerGetsWhatItsDecoderNeedsFirst() throws {
        var broadcast = started(preroll: 6)
        for _ in 0..<10 {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
        }
        broadcast.join(2)
        let mark = try #require(broadcast.heard[2]?.entries.first)
        let first = try #require(broadcast.heard[2]?.packets.first)
        #expect(mark.frame.index > 75_000)
        #expect(mark.frame - first >= 6 * 400)
        #expect(broadcast.heard[2]?.anchor == broadcast.heard[1]?.anchor)
    }

    @Test func itEndsWhenAllHaveHeardTheEnd() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 1)
        broadcast.handle(.source(.ended))
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
        broadcast.handle(.source(.ended))
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
        broadcast.handle(.source(.failed("disk on fire")))
        for _ in 0..<70 where broadcast.outcome == nil {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
        }
        #expect(broadcast.heard[1]?.farewell?.kind == .failed)
        #expect(broadcast.outcome == .brokenOff("disk on fire"))
    }

    @Test func aSongWithoutAudioEndsTheBroadcastAtOnce() {
        var broadcast = ScriptedBroadcast()
        broadcast.handle(.source(.failed("not audio")))
        #expect(broadcast.outcome == .unplayable("not audio"))
    }

    @Test func whoeverStopsItTellsAll() {
        var broadcast = started()
        broadcast.handle(.stop)
        #expect(broadcast.heard[1]?.farewell?.kind == .stopped)
        #expect(broadcast.outcome == .stopped)
        #expect(broadcast.closed == [1])
    }

    @Test func peersThatCannotListenAreRefused() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Attic"] }
        broadcast.join(1, name: "Attic", roles: .broadcaster)
        broadcast.join(2, name: "Cellar")
        broadcast.join(3, name: "Attic", instance: 100)
        #expect(broadcast.heard[1]?.refusal?.reason == .wrongRole)
        #expect(broadcast.heard[2]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[3]?.refusal?.reason == .duplicate)
        #expect(broadcast.closed == [1, 2, 3])
        #expect(broadcast.session.listeners.isEmpty)
    }

    private func contact(
        _ instance: UInt64, _ name: String, at address: String? = nil, service: String = ""
    ) -> PeerContact {
        PeerContact(
            key: .instance(instance, service: service), name: name, roles: .listener,
            addresses: [NetworkAddress(host: address ?? "\(instance)")])
    }

    /// A record that names a listener's process under another name and elsewhere, and somebody who calls from there as
    /// that process, before and after its own record is heard.
    @Test(arguments: [true, false]) func aForgedRecordTakesNoListenerOffItsBroadcast(isAnnounced: Bool) {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        if isAnnounced { broadcast.handle(.contact(contact(8, "Kitchen", at: "10.0.0.1", service: "own"))) }
        broadcast.join(1, name: "Kitchen", instance: 8)
        broadcast.report(.ready, 1)
        let dialCount = broadcast.dials.count
        broadcast.handle(.contact(contact(8, "Impostor", at: "10.0.0.2", service: "forged")))
        for id in 2..<10 {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: "10.0.0.2", dial: nil, key: key))
            broadcast.greet(id, name: "Kitchen", instance: 8)
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
        }
        broadcast.wait(.seconds(1), hearingFrom: [1])
        for id in 2..<10 { #expect(broadcast.heard[id]?.refusal?.reason == (isAnnounced ? .duplicate : .notAllowed)) }
        #expect(broadcast.heard[1]?.refusal == nil && !broadcast.closed.contains(1))
        #expect(broadcast.session.listeners.map(\.name) == ["Kitchen"])
        #expect(broadcast.dials.count == dialCount)
    }

    /// Those who connect and say nothing take no place of those who do, as long as they come from few addresses.
    @Test func whoSaysNothingKeepsNobodyOut() {
        var broadcast = started()
        for id in 100..<(100 + 2 * BroadcastLimits.candidateCount) {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            let address = "2001:db8::\(String(id, radix: 16))"
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: address, dial: nil, key: key))
        }
        #expect(broadcast.closed.count == BroadcastLimits.candidateCount)
        #expect(broadcast.notices.count { $0 == .crowded(limit: BroadcastLimits.candidateCount) } == 1)
        for id in 2..<100 { broadcast.join(id) }
        #expect(broadcast.session.listeners.count == 99)
        broadcast.wait(.seconds(2), hearingFrom: [1])
        #expect(!broadcast.closed.contains(1))
    }

    @Test func aNameMeansTheListenerThatBearsItNow() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        broadcast.handle(.contact(contact(8, "Kitchen #2")))
        broadcast.handle(.contact(contact(7, "Kitchen")))
        #expect(broadcast.dials.map(\.key) == [.instance(7)])
        // Greeted before it knew that the name is taken; the second is not yet known to mDNS at all.
        broadcast.join(1, name: "Kitchen", instance: 8)
        broadcast.join(2, name: "Kitchen", instance: 9)
        broadcast.join(3, name: "Kitchen", instance: 7)
        #expect(broadcast.heard[1]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[2]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[3]?.refusal == nil)
        #expect(broadcast.session.listeners.count == 1)
    }

    @Test func aListenerThatTurnsOutToBearAnotherNameIsNotFedFurther() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Kitchen", instance: 8)
        #expect(broadcast.session.listeners.count == 1)
        broadcast.handle(.contact(contact(8, "Kitchen #2", at: "10.0.0.1")))
        #expect(broadcast.heard[1]?.refusal?.reason == .notAllowed)
        #expect(broadcast.closed == [1])
        broadcast.wait(.seconds(11))
        #expect(broadcast.dials.isEmpty)
        #expect(broadcast.outcome == .nobody(["Kitchen"]))
    }

    @Test func aListenerThatCannotDecodeTheSongIsNotFedAndThatIsSaidOnce() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        for id in 1...3 { broadcast.join(id, name: "Radio", instance: 7, codecs: [.mpegLayer3]) }
        broadcast.join(4)
        for id in 1...3 {
            #expect(
                broadcast.heard[id]?.refusal == Refusal(.cannotDecode, "this song is PCM, which Radio cannot decode"))
            #expect(broadcast.heard[id]?.messages.count == 2)
        }
        #expect(broadcast.closed == [1, 2, 3])
        #expect(
            broadcast.notices.filter { $0.level == .warning } == [
                .refused("Radio", Refusal(.cannotDecode, "this song is PCM, which Radio cannot decode"))
            ])
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 4"])
    }

    @Test func nobodyIsWelcomedBeforeTheSongIsKnown() {
        var broadcast = ScriptedBroadcast()
        broadcast.join(1)
        broadcast.join(2, codecs: [])
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.heard[1]?.messages == [.greeting(ScriptedBroadcast.greeting)])
        #expect(broadcast.heard[2]?.messages == [.greeting(ScriptedBroadcast.greeting)])
        broadcast.give(seconds: 60)
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 1"])
        #expect(broadcast.heard[1]?.packets.isEmpty == false)
        #expect(broadcast.heard[2]?.refusal?.reason == .cannotDecode)
    }

    @Test func ownLoudspeakersThatAreGoneAreNotWaitedFor() {
        var broadcast = ScriptedBroadcast { $0.ownListener = 55 }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Here", instance: 55)
        broadcast.join(2)
        broadcast.report(.ready, 2)
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.wait(.milliseconds(320))
        #expect(broadcast.heard[2]?.anchor != nil)
    }

    @Test func theOwnLoudspeakersAreNoAudienceThatWasAskedFor() {
        var broadcast = ScriptedBroadcast {
            $0.allowedNames = ["Kitchen"]
            $0.ownListener = 55
        }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Here", instance: 55)
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
        broadcast.join(1, name: "Here", instance: 55)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(320))
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func aFloodFromOneAddressIsRefusedPolitelyAndHarmsNobody() throws {
        var broadcast = started()
        let before = broadcast.heard[1]?.packets.count ?? 0
        for id in 100..<1_100 {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: "10.0.0.66", dial: nil, key: key))
        }
        let limit = PeeringLimits.connectionsPerAddress
        #expect(broadcast.closed.count == 1_000 - limit)
        #expect(broadcast.session.refusedCount == 1_000 - limit)
        #expect(broadcast.heard[1_099]?.refusal?.reason == .busy)
        #expect(broadcast.notices.count { $0 == .addressFull("10.0.0.66", limit: limit) } == 1)
        // Nor do those that say nothing stay for long.
        for _ in 0..<5 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
            broadcast.drain(1)
        }
        #expect(broadcast.closed.count == 1_000)
        #expect((broadcast.heard[1]?.packets.count ?? 0) > before + 20)
        #expect(broadcast.heard[1]?.entries.count == 1)
        broadcast.join(2)
        #expect(broadcast.session.listeners.count == 2)
    }

    /// A listener has nothing to say that is longer than a greeting; what claims to be is not waited for.
    @Test func aLongMessageOfAListenerIsRefusedByItsHeader() {
        var broadcast = started()
        broadcast.join(2)
        var header = ByteBuffer()
        header.writeInteger(UInt16(WireEncoder.keepAlive().getInteger(at: 0, as: UInt16.self) ?? 0))
        header.writeInteger(UInt32(4_097))
        broadcast.say(header, 2)
        #expect(broadcast.heard[2]?.refusal?.reason == .protocolError)
        #expect(broadcast.closed == [2])
    }

    @Test func noiseIsCutOffAndHarmsNobody() {
        var broadcast = started()
        broadcast.open(2, .accepted)
        broadcast.say(ByteBuffer(repeating: 0x55, count: 100), 2)
        #expect(broadcast.heard[2]?.refusal?.reason == .protocolError)
        #expect(broadcast.closed == [2])
        #expect(broadcast.session.listeners.count == 1)
    }

    @Test func listenersAreDialledAndABusyOneIsAskedAgainLater() throws {
        var broadcast = ScriptedBroadcast()
        let contact = PeerContact(
            key: .instance(7), name: "Attic", roles: .listener, addresses: [NetworkAddress(host: "attic")])
        broadcast.handle(.contact(contact))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .dialed, dial: dial)
        broadcast.greet(1, instance: 7)
        broadcast.say(WireEncoder.refusal(Refusal(.busy, "playing X from Y")), 1)
        #expect(broadcast.closed == [1])
        #expect(broadcast.notices.contains(.busy("Listener 1", "playing X from Y")))
        broadcast.wait(.milliseconds(900))
        #expect(broadcast.dials.count == 1)
        broadcast.wait(.milliseconds(300))
        #expect(broadcast.dials.count == 2)
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

    /// Both sides dialled: nobody was refused anything.
    @Test func ofTwoCallsThatCrossedNoneCountsAsRefused() throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.handle(.contact(contact(7, "Attic")))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .accepted)
        broadcast.open(2, .dialed, dial: dial)
        for id in [1, 2] { broadcast.greet(id, name: "Attic", instance: 7) }
        broadcast.wait(.milliseconds(20))
        broadcast.say(WireEncoder.keepAlive(), 1)
        broadcast.wait(.milliseconds(20))
        #expect(broadcast.heard[2]?.refusal == .otherConnection && broadcast.closed == [2])
        #expect(broadcast.session.listeners.map(\.name) == ["Attic"])
        #expect(broadcast.session.refusedCount == 0)
        broadcast.join(3, roles: .broadcaster)
        #expect(broadcast.session.refusedCount == 1)
    }

    /// Somebody who calls, from 10.0.0.66 or many addresses, under one invented name after the other.
    private func invent(
        _ count: Int, _ broadcast: inout ScriptedBroadcast, _ deed: ByteBuffer, hasManyAddresses: Bool = false
    ) {
        for id in 1_000..<1_000 + count {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            let address = hasManyAddresses ? "10.1.\(id / 256).\(id % 256)" : "10.0.0.66"
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: address, dial: nil, key: key))
            broadcast.greet(id, name: "Invented \(id)")
            broadcast.report(.ready, id)
            broadcast.say(deed, id)
        }
    }

    /// A listener that asks for the time over its connection, as where UDP is blocked.
    private func askClock(_ id: Int, _ broadcast: inout ScriptedBroadcast) {
        for sequence in 1...BroadcastLimits.clockRequestsThreshold {
            let request = ClockDatagram(
                kind: .request, keyIdentifier: UInt64(id), sequence: UInt32(sequence), cookie: 5)
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.say(WireEncoder.clock(request.encoded(under: key)), id)
        }
    }

    @Test func inventedNamesMuteNoOtherWarning() {
        var broadcast = started()
        let noise = ByteBuffer(repeating: 0x55, count: 100)
        invent(2_000, &broadcast, noise)
        let refused = broadcast.notices.count { if case .refused = $0 { true } else { false } }
        #expect(refused == PeeringLimits.rememberedNoticeCountPerAddress)
        // What happens to others is told, and the same of others.
        broadcast.join(2, name: "Kitchen")
        askClock(2, &broadcast)
        #expect(broadcast.notices.contains(.clockOverTCP("Kitchen")))
        broadcast.say(noise, 2)
        #expect(broadcast.notices.contains { if case .refused("Kitchen", _) = $0 { true } else { false } })
    }

    /// Whoever has many addresses mutes warnings of one kind: of refusals those for one reason.
    @Test func namesInventedAtManyAddressesMuteNoOtherKindOfWarning() {
        var broadcast = started()
        invent(
            2 * PeeringLimits.rememberedNoticeCount, &broadcast, ByteBuffer(repeating: 0x55, count: 100),
            hasManyAddresses: true)
        let refused = broadcast.notices.count { if case .refused = $0 { true } else { false } }
        #expect(refused == PeeringLimits.rememberedNoticeCount)
        broadcast.join(2, name: "Kitchen")
        askClock(2, &broadcast)
        #expect(broadcast.notices.contains(.clockOverTCP("Kitchen")))
        broadcast.join(3, name: "Radio", codecs: [.mpegLayer3])
        let reason = "this song is PCM, which Radio cannot decode"
        #expect(broadcast.notices.contains(.refused("Radio", Refusal(.cannotDecode, reason))))
    }

    @Test func whoComesAndGoesDoesNotFloodTheTerminal() {
        var broadcast = started()
        let count = broadcast.notices.count
        invent(2_000, &broadcast, WireEncoder.refusal(Refusal(.leaving, "")))
        // Comings and goings, so many of each.
        #expect(broadcast.notices.count - count == 2 * PeeringLimits.repeatedCountPerAddress)
        broadcast.join(2, name: "Kitchen")
        broadcast.report(.ready, 2)
        broadcast.handle(.closed(ConnectionID(2)))
        #expect(broadcast.notices.suffix(2) == [.joined("Kitchen"), .gone("Kitchen", nil)])
    }

    private struct Missing: Error {}
}
