import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

/// One who goes round, with the others played by the test.
@Suite(.timeLimit(.minutes(5))) struct HouseholdRoundTests {
    private struct Scene {
        var session: HouseholdRound
        var now = HostTime(nanoseconds: 3_000_000_000)
        var dials: [Dialer.Dial] = []
        var sent: [Int: Int] = [:]
        var closed: Set<Int> = []
        var documents: [Int: String] = [:]
        var refusals: [String] = []
        var outcome: RoundOutcome?
        var told: Set<PeerKey>? { outcome?.told }

        init(_ purpose: HouseholdRound.Purpose) {
            let greeting = Greeting(
                roles: .controller, peer: UUIDBytes(high: 0, low: 1), instance: 1_000, started: 0, name: "Hand")
            session = HouseholdRound(greeting: greeting, purpose: purpose, now: now)
        }

        mutating func handle(_ event: RoundEvent) {
            for action in session.handle(event, now: now) {
                switch action {
                case .dial(let dial): dials.append(dial)
                case .send(let id, let bytes): sent[id.number, default: 0] += bytes.readableBytes
                case .close(let id): closed.insert(id.number)
                case .household(let id, let document): documents[id.number] = String(buffer: document)
                case .refused(_, let name, let refusal): refusals.append("\(name): \(refusal.text)")
                case .finished(let outcome): self.outcome = outcome
                }
            }
        }

        mutating func wait(_ span: TimeSpan) {
            let end = now + span
            while now < end {
                now += .milliseconds(10)
                handle(.tick)
            }
        }

        mutating func find(_ hosts: String..., instance: UInt64 = 7) {
            handle(
                .found(
                    PeerContact(
                        key: .instance(instance), name: "Den", roles: .listener,
                        addresses: hosts.map { NetworkAddress(host: $0) })))
        }

        /// Lets the dial connect. The other end proves its key and greets; what was sent is written.
        mutating func connect(_ id: Int, _ dial: Dialer.Dial, _ key: PeerKey, _ standing: PeerStanding) {
            handle(.opened(ConnectionID(id), address: dial.address.host, dial: dial))
            handle(.authenticated(ConnectionID(id), key, standing))
            let greeting = Greeting(roles: .listener, peer: key.uuid, instance: 7, started: 0, name: "Den")
            say(WireEncoder.greeting(greeting), id)
            write(id)
        }

        mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

        mutating func write(_ id: Int) {
            handle(.written(ConnectionID(id), byteCount: sent.removeValue(forKey: id) ?? 0))
        }
    }

    private let member = PeerKeyPair.random().key
    private let other = PeerKeyPair.random().key
    private let document = WireEncoder.household(Array("document".utf8))

    // MARK: Telling

    @Test func aMemberIsToldOnceAllIsWrittenAndItDoesNotObject() throws {
        var scene = Scene(.telling([member]))
        scene.find("10.0.0.1")
        let dial = try #require(scene.dials.first)
        scene.connect(1, dial, member, .member)
        scene.handle(.document(ConnectionID(1), document))
        scene.wait(.milliseconds(500))
        #expect(scene.told == nil, "the kernel has not taken the document")
        scene.write(1)
        scene.wait(.milliseconds(50))
        #expect(scene.told == nil, "it may still object")
        scene.wait(.milliseconds(100))
        #expect(scene.told == [member] && scene.closed == [1])
    }

    @Test func oneThatRefusesIsNotTold() throws {
        var scene = Scene(.telling([member]))
        scene.find("10.0.0.1")
        scene.connect(1, try #require(scene.dials.first), member, .member)
        scene.handle(.document(ConnectionID(1), document))
        scene.write(1)
        scene.say(WireEncoder.refusal(Refusal(.busy, "busy")), 1)
        scene.wait(.milliseconds(2_100))
        #expect(scene.told == [] && scene.closed == [1])
    }

    @Test func whoWasRemovedIsToldSo() throws {
        var scene = Scene(.telling([member, other]))
        scene.find("10.0.0.1", "10.0.0.2")
        scene.connect(1, scene.dials[0], member, .member)
        scene.handle(.document(ConnectionID(1), document))
        scene.say(WireEncoder.refusal(Refusal(.notAllowed, "removed")), 1)
        #expect(scene.closed == [1] && scene.outcome == nil)
        scene.connect(2, scene.dials[1], other, .member)
        scene.wait(.milliseconds(150))
        #expect(scene.told == [other], "nobody else is waited for")
        #expect(scene.outcome?.refusals.mapValues(\.text) == [member: "removed"])
    }

    /// A machine that was removed at the same time, and has removed somebody.
    @Test func whoTakesTheRemovalOfARemovedMachineIsTold() throws {
        for purpose: HouseholdRound.Purpose in [.removing([member, other]), .telling([member, other])] {
            var scene = Scene(purpose)
            scene.find("10.0.0.1", "10.0.0.2")
            scene.connect(1, scene.dials[0], member, .member)
            scene.say(WireEncoder.refusal(Refusal(.removedLately, "removed")), 1)
            scene.connect(2, scene.dials[1], other, .member)
            scene.say(WireEncoder.refusal(Refusal(.notAllowed, "removed")), 2)
            let outcome = try #require(scene.outcome)
            #expect(Set(outcome.refusals.keys) == [member, other])
            if case .removing = purpose { #expect(outcome.told == [member]) } else { #expect(outcome.told == []) }
        }
    }

    /// To a member that has read of it, this machine is a stranger.
    @Test func whoRefusesOneThatLeavesKnowsOfIt() throws {
        var scene = Scene(.leaving([member, other]))
        scene.find("10.0.0.1", "10.0.0.2")
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: scene.dials[0]))
        scene.handle(.document(ConnectionID(1), document))
        scene.handle(.authenticated(ConnectionID(1), member, .member))
        let greeting = Greeting(roles: .listener, peer: member.uuid, instance: 7, started: 0, name: "Den")
        scene.say(WireEncoder.greeting(greeting), 1)
        scene.write(1)
        scene.say(WireEncoder.refusal(Refusal(.notAllowed, "removed")), 1)
        // This one cannot have read it.
        scene.connect(2, scene.dials[1], other, .member)
        scene.handle(.document(ConnectionID(2), document))
        scene.say(WireEncoder.refusal(Refusal(.busy, "busy")), 2)
        scene.wait(.milliseconds(2_100))
        #expect(scene.told == [member])
    }

    @Test func membersThatAreNotFoundAreWaitedForNoLongerThanTwoSeconds() throws {
        var scene = Scene(.telling([member, other]))
        scene.find("10.0.0.1")
        scene.connect(1, try #require(scene.dials.first), member, .member)
        scene.wait(.milliseconds(1_900))
        #expect(scene.told == nil)
        scene.wait(.milliseconds(200))
        #expect(scene.told == [member])
    }

    @Test func strangersAreLeftAlone() throws {
        var scene = Scene(.telling([member]))
        scene.find("10.0.0.1")
        let dial = try #require(scene.dials.first)
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: dial))
        scene.handle(.authenticated(ConnectionID(1), other, .stranger))
        #expect(scene.closed == [1])
        scene.wait(.milliseconds(1_500))
        #expect(scene.dials.count == 1)
    }

    /// The first address leads to another machine of another network.
    @Test func eachAddressIsTried() throws {
        var scene = Scene(.telling([member]))
        scene.find("10.0.0.1", "192.168.0.1")
        try #require(scene.dials.map(\.address.host) == ["10.0.0.1", "192.168.0.1"])
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: scene.dials[0]))
        scene.handle(.authenticated(ConnectionID(1), other, .stranger))
        scene.connect(2, scene.dials[1], member, .member)
        scene.wait(.milliseconds(200))
        #expect(scene.told == [member])
    }

    @Test func nobodyIsToldWhereNobodyCanBeSearched() {
        var scene = Scene(.telling([member]))
        scene.handle(.searchFailed)
        #expect(scene.told == [])
    }

    // MARK: Enrolling

    @Test func whatAnybodySendsIsHandedOn() throws {
        var scene = Scene(.enrolling)
        scene.find("10.0.0.1")
        scene.connect(1, try #require(scene.dials.first), other, .stranger)
        scene.say(document, 1)
        #expect(scene.documents == [1: "document"] && scene.told == nil && scene.closed.isEmpty)
    }

    @Test func whoDoesNotLetItInIsToldOfAndAskedAgain() throws {
        var scene = Scene(.enrolling)
        scene.find("10.0.0.1")
        scene.connect(1, try #require(scene.dials.first), other, .stranger)
        scene.say(WireEncoder.refusal(Refusal(.notAllowed, "members only")), 1)
        #expect(scene.refusals == ["Den: members only"] && scene.closed == [1])
        scene.wait(RoundLimits.pause + .milliseconds(10))
        #expect(scene.dials.count == 2)
    }

    @Test func eachTuttiIsAskedAgainAndAgain() throws {
        var scene = Scene(.enrolling)
        scene.handle(.searchFailed)
        scene.handle(.found(PeerContact(address: NetworkAddress(host: "10.0.0.1"))))
        for attempt in 1...5 {
            try #require(scene.dials.count == attempt)
            scene.connect(attempt, scene.dials[attempt - 1], other, .stranger)
            scene.wait(RoundLimits.answerTime)
            #expect(scene.closed.contains(attempt), "attempt \(attempt)")
            scene.wait(RoundLimits.pause)
        }
        #expect(scene.told == nil)
    }

    @Test func oneThatDoesNotAnswerIsDialledAgain() throws {
        var scene = Scene(.enrolling)
        scene.find("10.0.0.1")
        scene.handle(.dialFailed(try #require(scene.dials.first), .refused))
        scene.wait(.seconds(1))
        #expect(scene.dials.count == 2)
    }

    @Test func aFloodOfAddressesIsBounded() {
        var scene = Scene(.enrolling)
        for index in 0..<2 * RoundLimits.addressCount {
            scene.find("10.0.\(index / 256).\(index % 256)", instance: UInt64(index))
        }
        #expect(scene.dials.count == RoundLimits.addressCount)
    }
}
