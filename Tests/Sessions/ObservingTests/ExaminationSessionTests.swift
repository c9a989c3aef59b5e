import AudioCore
import NIOCore
import Observing
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Who looks at the ways to peers, with peers played by the test.
@Suite(.timeLimit(.minutes(5))) struct ExaminationSessionTests {
    private struct Scene {
        var session: ExaminationSession
        var now = HostTime(nanoseconds: 3_000_000_000)
        var dials: [Dialer.Dial] = []
        var closed: [ConnectionID] = []
        var keepAlives = 0
        var clocks: [(path: Int, port: UInt16)] = []
        var result: [ExaminedPath]?

        init(_ targets: [[String]], span: TimeSpan = .seconds(3)) {
            let greeting = Greeting(
                roles: .observer, peer: UUIDBytes(high: 0, low: 1), instance: 1, started: 0, name: "doctor")
            session = ExaminationSession(
                greeting: greeting, targets: targets.map { $0.map { NetworkAddress(host: $0) } }, span: span, now: now)
            handle(.tick)
        }

        mutating func handle(_ event: ExaminationEvent) {
            for action in session.handle(event, now: now) {
                switch action {
                case .dial(let dial): dials.append(dial)
                case .send(_, let bytes): if bytes == WireEncoder.keepAlive() { keepAlives += 1 }
                case .close(let id): closed.append(id)
                case .askClock(_, let path, let port, _): clocks.append((path, port))
                case .finished(let paths): result = paths
                }
            }
        }

        mutating func wait(_ span: TimeSpan) {
            let end = now + span
            while now < end {
                now += .milliseconds(20)
                handle(.tick)
            }
        }

        mutating func open(_ dial: Int) { handle(.opened(ConnectionID(dial), dial: dials[dial])) }

        /// The other side of a dial greets as this instance, with a key of its own.
        mutating func greet(_ dial: Int, _ roles: PeerRoles, instance: UInt64 = 7) {
            open(dial)
            let key = PeerKeyPair.random().key
            handle(.authenticated(ConnectionID(dial), key))
            say(
                WireEncoder.greeting(
                    Greeting(roles: roles, peer: key.uuid, instance: instance, started: 0, name: "Attic")), dial)
        }

        mutating func welcome(_ dial: Int, port: UInt16 = 28_884) {
            let key = [UInt8](repeating: 3, count: Welcome.clockKeyByteCount)
            say(WireEncoder.welcome(Welcome(clockPort: port, clockKey: key)), dial)
        }

        mutating func say(_ bytes: ByteBuffer, _ dial: Int) { handle(.received(ConnectionID(dial), bytes)) }
    }

    @Test func everyAddressIsCalledAtOnce() {
        var scene = Scene([["a", "b"], ["c"]])
        #expect(scene.dials.map(\.address.host) == ["a", "b", "c"])
        scene.handle(.dialFailed(scene.dials[0], .refused))
        scene.handle(.dialFailed(scene.dials[1], .unreachable))
        #expect(scene.result == nil)
        scene.handle(.dialFailed(scene.dials[2], .unanswered))
        #expect(scene.result?.map(\.outcome) == [.refused, .unreachable, .unanswered])
        #expect(scene.result?.map(\.target) == [0, 0, 1])
    }

    @Test func aListenerIsLetGoAtOnce() {
        var scene = Scene([["a"]])
        scene.greet(0, .listener)
        #expect(scene.closed == [ConnectionID(0)] && scene.clocks.isEmpty)
        guard case .greeted(let process, let name, .listener) = scene.result?.first?.outcome else {
            Issue.record("\(String(describing: scene.result))")
            return
        }
        #expect(process.instance == 7 && name == "Attic")
    }

    @Test func aBroadcastersClockIsAskedUntilTheEnd() {
        var scene = Scene([["10.0.0.2", "10.0.1.2", "fe80::2%3"]])
        for dial in 0..<3 { scene.greet(dial, .broadcaster) }
        for dial in [0, 2, 0] { scene.welcome(dial) }
        #expect(scene.clocks.map(\.path) == [0, 2] && scene.clocks[0].port == 28_884)
        // One way of each family is enough.
        #expect(scene.closed == [ConnectionID(1)])
        scene.wait(.milliseconds(2_900))
        #expect(scene.result == nil && scene.keepAlives >= 2)
        scene.wait(.milliseconds(200))
        #expect(scene.result?.first?.clockPort == 28_884)
    }

    @Test func aRefusalIsKept() {
        var scene = Scene([["a"]])
        scene.greet(0, .broadcaster)
        scene.say(WireEncoder.refusal(Refusal(.notAllowed, "for members only")), 0)
        #expect(scene.result?.first?.refusal == "for members only")
        #expect(scene.clocks.isEmpty)
    }

    @Test func whoSaysNothingIsNotWaitedForLonger() {
        var scene = Scene([["a"]])
        scene.open(0)
        scene.wait(.seconds(4))
        #expect(scene.result?.map(\.outcome) == [.saysNothing])
    }

    @Test func whatIsNoTuttiIsTold() {
        var scene = Scene([["a"], ["b"]])
        scene.open(0)
        scene.say(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n and more of that kind of thing"), 0)
        scene.open(1)
        scene.handle(.broken(ConnectionID(1), reason: "no preamble"))
        let outcomes = scene.result?.map(\.outcome) ?? []
        #expect(outcomes.count == 2)
        for outcome in outcomes {
            if case .speaksOtherwise = outcome { continue }
            Issue.record("\(outcome)")
        }
    }

    @Test func whatGoesBeyondItsBoundsIsLeftOut() {
        let scene = Scene(Array(repeating: Array(repeating: "a", count: 9), count: 40))
        #expect(scene.dials.count == ExaminationLimits.targetCount * ExaminationLimits.addressCount)
    }
}
