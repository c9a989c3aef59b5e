import AudioCore
import Households
import NIOCore
import Observing
import Peering
import SecureChannel
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

        init(address: NetworkAddress? = nil, from names: [String] = [], isInHousehold: Bool = false) {
            let greeting = Greeting(
                roles: .observer, peer: UUIDBytes(high: 0, low: 1), instance: 1, started: 0, name: "check")
            session = ObserveSession(
                greeting: greeting, address: address, allowedNames: names, isInHousehold: isInHousehold, now: now)
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

        /// mDNS names a broadcast, whose host is called as it is.
        mutating func find(
            _ name: String, instance: UInt64 = 100, started: Int64 = 0, roles: PeerRoles = .broadcaster
        ) {
            handle(
                .contact(
                    PeerContact(
                        key: .instance(instance), name: name, roles: roles, started: started,
                        addresses: [NetworkAddress(host: name)])))
        }

        /// A dial connects, by default the first one, and the other side greets.
        mutating func connect(
            _ id: Int = 1, to host: String? = nil, roles: PeerRoles = .broadcaster, key: PeerKey? = nil,
            standing: PeerStanding = .stranger
        ) {
            guard let dial = dials.first(where: { host == nil || $0.address.host == host }) else {
                Issue.record("nobody is dialled")
                return
            }
            handle(.opened(ConnectionID(id), address: "10.0.0.\(id)", dial: dial))
            if let key { handle(.authenticated(ConnectionID(id), key, standing)) }
            let greeting = Greeting(
                roles: roles, peer: key?.uuid ?? UUIDBytes(high: 0, low: UInt64(id) + 1), instance: UInt64(id) + 99,
                started: 0, name: host ?? "Den")
            say(WireEncoder.greeting(greeting), id)
        }

        mutating func say(_ bytes: ByteBuffer, _ id: Int = 1) { handle(.received(ConnectionID(id), bytes)) }
    }

    private let roster = Roster(state: .playing, title: "Song", entries: [])

    private let keys = (0..<2).map { _ in PeerKeyPair.random().key }
        .sorted { ($0.uuid.high, $0.uuid.low) < ($1.uuid.high, $1.uuid.low) }

    /// Whatever mDNS says of when they began.
    @Test func theBroadcastOfTheLowestUUIDIsWatchedToItsEnd() {
        var scene = Scene()
        scene.find("Low", instance: 100, started: 20)
        scene.find("High", instance: 101)
        scene.find("Listener", instance: 102, started: 5, roles: .listener)
        #expect(scene.dials.map(\.address.host).sorted() == ["High", "Low"])
        scene.connect(2, to: "High")
        scene.connect(1, to: "Low")
        scene.say(WireEncoder.roster(roster))
        #expect(scene.watched.isEmpty && scene.rosters.isEmpty)
        scene.wait(ObserveLimits.choiceTime + .milliseconds(20))
        #expect(scene.notices == [.severalFound(["High", "Low"], taken: "Low")])
        #expect(scene.watched == ["Low"] && scene.closed == [ConnectionID(2)])
        // The role is the first byte of the greeting, which follows type and length.
        #expect(scene.sent.getInteger(at: 6, as: UInt8.self) == PeerRoles.observer.rawValue)
        // It came before the choice.
        #expect(scene.rosters == [roster])
        scene.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)))
        #expect(scene.ending == .ended(BroadcastEnd(.completed)))
        #expect(scene.closed.last == ConnectionID(1))
    }

    /// The stranger has the lower UUID, and is much faster.
    @Test func inAHouseholdAMemberGoesBeforeAStranger() {
        var scene = Scene(isInHousehold: true)
        scene.find("Stranger", instance: 100)
        scene.find("Member", instance: 101)
        scene.connect(1, to: "Stranger", key: keys[0])
        scene.wait(ObserveLimits.memberTime - .milliseconds(100))
        #expect(scene.watched.isEmpty)
        scene.connect(2, to: "Member", key: keys[1], standing: .member)
        scene.wait(ObserveLimits.choiceTime)
        #expect(scene.watched == ["Member"])
    }

    @Test func inAHouseholdAStrangerIsWatchedWhereNoMemberIs() {
        var scene = Scene(isInHousehold: true)
        scene.find("Stranger")
        scene.connect(1, to: "Stranger", key: keys[0])
        scene.wait(ObserveLimits.memberTime + .milliseconds(20))
        #expect(scene.watched == ["Stranger"])
    }

    @Test func whoRefusesIsInNobodysWay() {
        for isSecondRefusing in [false, true] {
            var scene = Scene()
            scene.find("Low", instance: 100)
            scene.find("High", instance: 101)
            scene.connect(1, to: "Low")
            scene.say(WireEncoder.refusal(Refusal(.notAllowed, "members only")), 1)
            scene.connect(2, to: "High")
            if isSecondRefusing { scene.say(WireEncoder.refusal(Refusal(.notAllowed, "no")), 2) }
            scene.wait(ObserveLimits.choiceTime * 2)
            #expect(scene.watched == (isSecondRefusing ? [] : ["High"]))
            let refusal = ObserveEnding.refused(.refused(by: "Low", reason: "members only"))
            #expect(scene.ending == (isSecondRefusing ? refusal : nil))
        }
    }

    @Test func onlyTheNamedOneIsOfInterest() {
        var scene = Scene(from: ["Young"])
        scene.find("Old", instance: 101)
        scene.wait(.milliseconds(400))
        #expect(scene.dials.isEmpty)
        scene.find("Young")
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
        let ends: [ObserveEvent?] = [.closed(ConnectionID(1)), .broken(ConnectionID(1), .record(.truncated)), nil]
        for end in ends {
            var scene = Scene(address: NetworkAddress(host: "den"))
            scene.wait(.milliseconds(20))
            scene.connect()
            if let end { scene.handle(end) } else { scene.wait(.seconds(3)) }
            #expect(scene.ending == .lost("Den"))
        }
    }

    @Test func whoEndsTheHandshakeIsTold() {
        var scene = Scene(address: NetworkAddress(host: "den"))
        scene.wait(.milliseconds(20))
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: scene.dials[0]))
        scene.handle(.broken(ConnectionID(1), .handshake(.truncated)))
        #expect(scene.ending == .refused(.brokenProtocol("10.0.0.1", .security(.handshake(.truncated)))))
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
