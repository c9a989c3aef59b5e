import AudioCore
import Controlling
import NIOCore
import Peering
import Testing
import WireProtocol

/// One who asks what is played, with broadcasters played by the test.
@Suite(.timeLimit(.minutes(5))) struct SurveySessionTests {
    private struct Scene {
        var session: SurveySession
        var now = HostTime(nanoseconds: 3_000_000_000)
        var dials: [Dialer.Dial] = []
        var sent: [Int: ByteBuffer] = [:]
        var closed: Set<Int> = []
        var answers: [PeerContact.Key: SurveyAnswer]?

        /// - Parameter hosts: the addresses of each broadcast; their processes are numbered from 1.
        init(_ hosts: [[String]]) {
            let greeting = Greeting(
                roles: .controller, peer: UUIDBytes(high: 0, low: 1), instance: 1_000, started: 0, name: "Hand")
            let contacts = hosts.enumerated().map { index, hosts in
                PeerContact(
                    key: .instance(UInt64(index + 1)), name: "broadcast \(index + 1)", roles: .broadcaster,
                    addresses: hosts.map { NetworkAddress(host: $0) })
            }
            session = SurveySession(greeting: greeting, contacts: contacts, now: now)
            handle(.tick)
        }

        mutating func handle(_ event: SurveyEvent) {
            for action in session.handle(event, now: now) {
                switch action {
                case .dial(let dial): dials.append(dial)
                case .send(let id, let bytes): sent[id.number, default: ByteBuffer()].writeImmutableBuffer(bytes)
                case .close(let id): closed.insert(id.number)
                case .finished(let answers): self.answers = answers
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

        /// Lets a dial connect, and the other end greet.
        mutating func connect(
            _ id: Int, _ dial: Dialer.Dial, instance: UInt64, roles: PeerRoles = .broadcaster
        ) {
            handle(.opened(ConnectionID(id), address: dial.address.host, dial: dial))
            let greeting = Greeting(
                roles: roles, peer: UUIDBytes(high: 0, low: 2), instance: instance, started: 0, name: "Den")
            say(WireEncoder.greeting(greeting), id)
        }

        mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

        /// What was sent after the greeting.
        func question(_ id: Int) -> Bool {
            guard let sent = sent[id] else { return false }
            return Array(sent.readableBytesView.suffix(WireEncoder.follow().readableBytes))
                == Array(WireEncoder.follow().readableBytesView)
        }
    }

    private static func state(_ title: String) -> ProgrammeState {
        let item = QueueItem(id: ItemID(1), title: title)
        return ProgrammeState(
            sequence: 0, sent: SessionTime(nanoseconds: 0), status: TransportStatus(.paused, current: item))
    }

    @Test func eachIsAskedOnceAndTheSurveyEndsWithTheLastAnswer() {
        var scene = Scene([["a"], ["b"]])
        #expect(scene.dials.map(\.address.host) == ["a", "b"])
        for (index, dial) in scene.dials.enumerated() {
            let id = index + 1
            scene.connect(id, dial, instance: UInt64(id))
            #expect(scene.question(id) && scene.answers == nil)
            scene.say(WireEncoder.programmeState(Self.state("song \(id)")), id)
            #expect(scene.closed.contains(id))
        }
        #expect(
            scene.answers == [
                .instance(1): .state(Self.state("song 1")), .instance(2): .state(Self.state("song 2")),
            ])
        #expect(scene.session.handle(.tick, now: scene.now + .seconds(9)).isEmpty)
    }

    @Test func nobodyToAskIsTheEnd() {
        #expect(Scene([]).answers == [:])
    }

    @Test func whoDoesNotAnswerIsWaitedForOneSecond() {
        var scene = Scene([["connects"], ["greets"], ["dead"]])
        scene.handle(.opened(ConnectionID(1), address: "connects", dial: scene.dials[0]))
        scene.connect(2, scene.dials[1], instance: 2)
        scene.wait(.milliseconds(990))
        #expect(scene.answers == nil)
        scene.wait(.milliseconds(10))
        #expect(scene.answers == [.instance(1): .silent, .instance(2): .silent, .instance(3): .silent])
        #expect(scene.closed == [1, 2])
    }

    @Test func refusalsAndLossesEndTheirQuestion() {
        var scene = Scene([["a"], ["b"], ["c"]])
        for (index, dial) in scene.dials.enumerated() { scene.connect(index + 1, dial, instance: UInt64(index + 1)) }
        scene.say(WireEncoder.refusal(Refusal(.busy, "too many")), 1)
        scene.handle(.closed(ConnectionID(2)))
        scene.say(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n"), 3)
        #expect(scene.answers == [.instance(1): .refused, .instance(2): .silent, .instance(3): .silent])
    }

    /// Another machine answers at the first address; what it says does not count.
    @Test func onlyTheAnnouncedProcessIsBelieved() throws {
        for (instance, roles) in [(7, .broadcaster), (1, .listener)] as [(UInt64, PeerRoles)] {
            var scene = Scene([["192.168.122.1", "10.0.0.1"]])
            scene.connect(1, scene.dials[0], instance: instance, roles: roles)
            #expect(scene.closed == [1] && !scene.question(1))
            scene.say(WireEncoder.programmeState(Self.state("another")), 1)
            scene.wait(PeeringLimits.addressStagger)
            #expect(scene.dials.map(\.address.host) == ["192.168.122.1", "10.0.0.1"])
            scene.connect(2, try #require(scene.dials.last), instance: 1)
            scene.say(WireEncoder.programmeState(Self.state("song")), 2)
            #expect(scene.answers == [.instance(1): .state(Self.state("song"))])
        }
    }

    @Test func whoGreetsFirstIsAskedAndTheOtherAddressIsLeft() {
        var scene = Scene([["slow", "quick"]])
        scene.wait(PeeringLimits.addressStagger)
        scene.handle(.opened(ConnectionID(1), address: "slow", dial: scene.dials[0]))
        scene.connect(2, scene.dials[1], instance: 1)
        #expect(scene.closed == [1] && scene.question(2))
    }

    /// However many announce themselves, only some are called at once, and the whole has an end.
    @Test func crowdsAreAskedInPartsAndNotWithoutEnd() {
        let count = 3 * SurveyLimits.askedCount
        var scene = Scene((1...count).map { ["host \($0)"] })
        #expect(scene.dials.count == SurveyLimits.askedCount)
        scene.connect(1, scene.dials[0], instance: 1)
        scene.say(WireEncoder.programmeState(Self.state("song")), 1)
        #expect(scene.dials.count == SurveyLimits.askedCount + 1)
        scene.wait(SurveyLimits.wholeTime - .milliseconds(10))
        #expect(scene.answers == nil && scene.dials.count <= count)
        scene.wait(.milliseconds(10))
        #expect(scene.answers?.count == count)
        #expect(scene.answers?.values.count { $0 == .silent } == count - 1)
    }
}
