import AudioCore
import NIOCore
import Observing
import Peering
import Testing
import WireProtocol

/// One who looks on, with broadcasters played by the test.
@Suite(.timeLimit(.minutes(5))) struct ObserveSessionTests {
    private struct Scene {
        var session: ObserveSession
        var now = HostTime(nanoseconds: 3_000_000_000)
        var dials: [Dialer.Dial] = []
        var sent = ByteBuffer()
        var closed: [ConnectionID] = []
        var rosters: [Roster] = []
        var watched: [String] = []
        var notices: [ObserveNotice] = []
        var ending: ObserveEnding?

        init(address: NetworkAddress? = nil, from names: [String] = []) {
            let greeting = Greeting(
                roles: .observer, peer: UUIDBytes(high: 0, low: 1), instance: 1, started: 0, name: "check")
            session = ObserveSession(greeting: greeting, address: address, allowedNames: names, now: now)
        }

        mutating func handle(_ event: ObserveEvent) {
            for action in session.handle(event, now: now) {
                switch action {
                case .dial(let dial): dials.append(dial)
                case .send(_, let bytes): sent.writeImmutableBuffer(bytes)
                case .close(let id): closed.append(id)
                case .watching(let name): watched.append(name)
                case .roster(let roster): rosters.append(roster)
                case .notice(let notice): notices.append(notice)
                case .finished(let ending): self.ending = ending
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

        mutating func find(_ name: String, started: Int64 = 0, roles: PeerRoles = .broadcaster) {
            handle(
                .contact(
                    PeerContact(
                        key: .instance(UInt64(started) + 100), name: name, roles: roles, started: started,
                        addresses: [NetworkAddress(host: name)])))
        }

        mutating func connect(roles: PeerRoles = .broadcaster) {
            handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: dials[0]))
            let greeting = Greeting(
                roles: roles, peer: UUIDBytes(high: 0, low: 2), instance: 100, started: 0, name: "Den")
            say(WireEncoder.greeting(greeting))
        }

        mutating func say(_ bytes: ByteBuffer) { handle(.received(ConnectionID(1), bytes)) }
    }

    private let roster = Roster(state: .playing, title: "Song", entries: [])

    @Test func theOldestBroadcastIsWatchedToItsEnd() {
        var scene = Scene()
        scene.find("Young", started: 20)
        scene.find("Old", started: 10)
        scene.find("Listener", started: 5, roles: .listener)
        scene.wait(.milliseconds(200))
        #expect(scene.dials.map(\.address.host) == ["Old"])
        #expect(scene.notices == [.severalFound(["Old", "Young"], taken: "Old")])
        scene.connect()
        #expect(scene.watched == ["Den"])
        // The role is the first byte of the greeting, which follows type and length.
        #expect(scene.sent.getInteger(at: 6, as: UInt8.self) == PeerRoles.observer.rawValue)
        scene.say(WireEncoder.roster(roster))
        #expect(scene.rosters == [roster])
        scene.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)))
        #expect(scene.ending == .ended(BroadcastEnd(.completed)))
        #expect(scene.closed == [ConnectionID(1)])
    }

    @Test func onlyTheNamedOneIsOfInterest() {
        var scene = Scene(from: ["Young"])
        scene.find("Old", started: 10)
        scene.wait(.milliseconds(400))
        #expect(scene.dials.isEmpty)
        scene.find("Young", started: 20)
        scene.wait(.milliseconds(200))
        #expect(scene.dials.map(\.address.host) == ["Young"])
    }

    @Test func nobodyThereIsSaidAfterFiveSeconds() {
        var scene = Scene()
        scene.wait(.milliseconds(4_900))
        #expect(scene.ending == nil)
        scene.wait(.milliseconds(200))
        #expect(scene.ending == .nobody)
        var dead = Scene(address: NetworkAddress(host: "10.0.0.9"))
        dead.wait(.milliseconds(40))
        dead.handle(.dialFailed(dead.dials[0]))
        dead.wait(.seconds(6))
        #expect(dead.dials.count > 1)
        #expect(dead.ending == .nobody)
    }

    @Test func aRefusalIsExplained() {
        var old = Scene(address: NetworkAddress(host: "den"))
        old.wait(.milliseconds(20))
        old.connect()
        old.say(WireEncoder.refusal(Refusal(.wrongRole, "both sides broadcast")))
        #expect(old.ending == .refused(.cannotBeObserved("Den")))
        var listener = Scene(address: NetworkAddress(host: "den"))
        listener.wait(.milliseconds(20))
        listener.connect(roles: .listener)
        #expect(listener.ending == .refused(.broadcastsNothing("Den")))
    }

    @Test func aBroadcasterThatFallsSilentOrGoesIsLost() {
        for closes in [true, false] {
            var scene = Scene(address: NetworkAddress(host: "den"))
            scene.wait(.milliseconds(20))
            scene.connect()
            if closes { scene.handle(.closed(ConnectionID(1))) } else { scene.wait(.seconds(3)) }
            #expect(scene.ending == .lost("Den"))
        }
    }

    @Test func noiseEndsIt() {
        var scene = Scene(address: NetworkAddress(host: "den"))
        scene.wait(.milliseconds(20))
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: scene.dials[0]))
        scene.say(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n"))
        guard case .refused = scene.ending else {
            Issue.record("\(String(describing: scene.ending))")
            return
        }
    }
}
