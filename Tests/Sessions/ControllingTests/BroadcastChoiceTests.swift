import AudioCore
import Controlling
import Households
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Which broadcast a controller takes, of those on its machine and on the network.
@Suite(.timeLimit(.minutes(5))) struct BroadcastChoiceTests {
    private static let pause = ControlRequest.command(Command(.programme(.pause)))

    @Test func theOwnBroadcastComesBeforeTheOneThatIsHeard() {
        var scene = ControlScene(.any, [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Den")] && scene.closed == [1])
        guard case .command? = scene.sent[2]?.last else { Issue.record("no command"); return }
        #expect(!scene.isSearching)
    }

    @Test func twoListenersOfOneBroadcastAreOne() {
        var scene = ControlScene(.any, [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.open(2, .ownListener, "Attic")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Attic")] && scene.closed.count == 1)
    }

    /// A listener that keeps something for the next time wants to know that it was asked for at its own machine.
    @Test func allListenersOfOneBroadcastHearWhatIsAskedOfOne() {
        let role = Command(.listeners(.role(.right), of: .named("Right")))
        var scene = ControlScene(.any, [Self.pause, .command(role)])
        scene.open(1, .ownListener, "Attic")
        scene.open(2, .ownListener, "Attic")
        scene.open(3, .ownListener, "Attic")
        scene.handle(.calledLocalPrograms)
        #expect(scene.closed.count == 2)
        for id in scene.closed { #expect(scene.sent[id]?.last == .command(role)) }
        let told = scene.sent.values.filter { $0.contains(.command(role)) }
        #expect(told.count == 2)
    }

    @Test(arguments: [PeerStanding.stranger, .removed, .member], [ControlTarget.any, .named("Den")])
    func inAHouseholdOnlyAMembersBroadcastIsTaken(standing: PeerStanding, target: ControlTarget) throws {
        let keys = PeerKeyPair.random()
        var scene = ControlScene(target, [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        let dial = try #require(scene.dials.first)
        scene.handle(.opened(ConnectionID(1), .dialed(dial), address: "10.0.0.2"))
        scene.handle(.authenticated(ConnectionID(1), keys.key, standing))
        #expect(scene.ending == (standing == .member ? nil : .notOfHousehold(["Den"])))
    }

    /// It is not dialled again and again, and the reason is better than that nothing was found.
    @Test func theOnlyOneThatEndsTheHandshakeIsTheReason() throws {
        var scene = ControlScene(.any, [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        let dial = try #require(scene.dials.first)
        scene.handle(.opened(ConnectionID(1), .dialed(dial), address: "10.0.0.2"))
        scene.handle(.broken(ConnectionID(1), .handshake(.truncated)))
        #expect(scene.ending == .brokenProtocol("10.0.0.2", .security(.handshake(.truncated))))
    }

    /// In a household: a neighbour's broadcast is found beside a member's, or several are.
    private func searching(_ names: [String], for target: ControlTarget = .any) -> ControlScene {
        var scene = ControlScene(target, [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        for name in names { scene.find(name) }
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        return scene
    }

    @Test func strangersAreNotInTheWayOfTheOnlyMember() throws {
        var scene = searching(["Den", "Attic", "Kitchen"])
        #expect(scene.dials.map(\.address.host) == ["Den", "Attic", "Kitchen"])
        for (index, standing) in [PeerStanding.stranger, .member, .removed].enumerated() {
            scene.open(index, as: standing, by: scene.dials[index])
            if standing == .member { scene.greet(index, "Attic") }
        }
        scene.handle(.tick)
        #expect(scene.answers == [.connected("Attic")] && scene.closed == [0, 2])
        scene.wait(.seconds(1))
        #expect(scene.dials.count == 3 && scene.closed == [0, 2])
    }

    @Test func ofSeveralMembersNoneIsTaken() {
        var scene = searching(["Den", "Attic", "Kitchen"])
        for (index, standing) in [PeerStanding.member, .stranger, .member].enumerated() {
            scene.open(index, as: standing, by: scene.dials[index])
            if standing == .member { scene.greet(index, ["Den", "", "Kitchen"][index]) }
        }
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]))
    }

    @Test func aStrangerThatDoesNotAnswerIsNotWaitedForLong() {
        var scene = searching(["Den", "Attic"])
        scene.open(1, as: .member, by: scene.dials[1])
        scene.greet(1, "Attic")
        #expect(scene.answers.isEmpty)
        scene.wait(ControlLimits.answerPatience)
        #expect(scene.answers == [.connected("Attic")])
        // It comes too late.
        scene.open(2, as: .stranger, by: scene.dials[0])
        #expect(scene.closed == [2] && scene.ending == nil)
    }

    /// Whoever announces many broadcasts at one address keeps out nobody at another.
    @Test func ofACrowdAtOneAddressOneMakesRoomForAMember() throws {
        var scene = ControlScene(.any, [Self.pause], inHousehold: true)
        // A program of this machine that never greets keeps its place.
        scene.handle(.opened(ConnectionID(0), .ownListener, address: "socket 0"))
        scene.handle(.calledLocalPrograms)
        scene.wait(ControlLimits.localTime + .milliseconds(5))
        let count = ControlLimits.connectionCount
        for number in 1...count { scene.find(String(repeating: "x", count: number)) }
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        try #require(scene.dials.count == count)
        for (index, dial) in scene.dials.dropLast().enumerated() {
            scene.handle(.opened(ConnectionID(index + 1), .dialed(dial), address: "10.0.0.66"))
        }
        #expect(scene.closed.isEmpty)
        scene.open(count, as: .member, by: scene.dials[count - 1])
        #expect(scene.closed == [count - 1])
        scene.greet(count, "Den")
        scene.wait(ControlLimits.answerPatience)
        #expect(scene.answers == [.connected("Den")])
    }

    @Test func withStrangersOnlyAllAreNamed() {
        var scene = searching(["Den", "Attic"])
        for index in 0...1 { scene.open(index, as: .stranger, by: scene.dials[index]) }
        #expect(scene.ending == .notOfHousehold(["Attic", "Den"]))
    }

    /// Whoever takes a member's name stands in nobody's way.
    @Test func ofTwoWithTheWantedNameTheMemberIsTaken() {
        var scene = ControlScene(.named("Den"), [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        scene.find("Den", service: "false")
        scene.open(1, as: .stranger, by: scene.dials[0])
        #expect(scene.ending == nil && scene.closed == [1])
        scene.find("Den", service: "true")
        scene.handle(.tick)
        #expect(scene.dials.count == 2)
        scene.open(2, as: .member, by: scene.dials[1])
        scene.greet(2, "Den")
        #expect(scene.answers == [.connected("Den")])
    }

    @Test func ofSeveralNoneIsTaken() {
        var scene = ControlScene(.any, [Self.pause])
        scene.open(1, .ownBroadcast, "Kitchen")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]) && scene.closed == [1, 2])
    }

    @Test func aNameChoosesAmongThem() {
        var scene = ControlScene(.named("Kitchen"), [Self.pause])
        scene.open(1, .ownListener, "Kitchen")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Kitchen")])
    }

    @Test func aProgramThatDoesNotGreetIsNotWaitedForLong() {
        var scene = ControlScene(.any, [Self.pause])
        scene.handle(.opened(ConnectionID(1), .ownListener, address: "socket"))
        scene.handle(.calledLocalPrograms)
        #expect(!scene.isSearching)
        scene.wait(ControlLimits.localTime + .milliseconds(5))
        #expect(scene.isSearching)
    }

    @Test func withNobodyHereTheOnlyOneOfTheNetworkIsTaken() throws {
        var scene = ControlScene(.any, [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.find("Den")
        #expect(scene.isSearching && scene.dials.isEmpty)
        scene.wait(ControlLimits.choiceTime)
        scene.handle(.opened(ConnectionID(1), .dialed(try #require(scene.dials.first)), address: "10.0.0.1"))
        scene.greet(1, "Den")
        #expect(scene.answers == [.connected("Den")])
    }

    @Test func ofSeveralOfTheNetworkNoneIsTaken() {
        var scene = ControlScene(.any, [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Kitchen")
        scene.find("Den")
        scene.wait(ControlLimits.choiceTime)
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]) && scene.dials.isEmpty)
    }

    @Test func aNameIsDialledAtOnce() {
        var scene = ControlScene(.named("Den"), [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Kitchen")
        #expect(scene.dials.isEmpty)
        scene.find("Den")
        #expect(scene.dials.map(\.address.host) == ["Den"])
    }

    @Test func aNameThatNobodyHasEndsWithThoseThatAreThere() {
        var scene = ControlScene(.named("Dan"), [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .notFound(others: ["Den"]))
    }

    @Test func namesOfThisMachineAreAmongThoseThatAreThere() {
        var scene = ControlScene(.named("Attik"), [Self.pause])
        scene.open(1, .ownBroadcast, "Attic")
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .notFound(others: ["Attic", "Den"]))
    }

    @Test func withoutASearchThoseOfThisMachineAreNamedAtOnce() {
        var scene = ControlScene(.named("Attik"), [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.handle(.calledLocalPrograms)
        scene.handle(.searchFailed("avahi-daemon is not running"))
        // But for the host of that name.
        #expect(scene.ending == nil && scene.dials.map(\.address.host) == ["Attik"])
        for dial in scene.dials { scene.handle(.dialFailed(dial)) }
        #expect(scene.ending == .notFound(others: ["Attic"]))
        var alone = ControlScene(.any, [Self.pause])
        alone.handle(.calledLocalPrograms)
        alone.handle(.searchFailed("avahi-daemon is not running"))
        #expect(alone.ending == .cannotSearch("avahi-daemon is not running"))
    }

    /// Nobody broadcasts by this name: mDNS has had 400 ms.
    private func searchingAHost(_ name: String = "den", inHousehold: Bool = false) -> ControlScene {
        var scene = ControlScene(.named(name), [Self.pause], inHousehold: inHousehold)
        scene.handle(.calledLocalPrograms)
        scene.wait(ControlLimits.hostTime - .milliseconds(10))
        #expect(scene.dials.isEmpty)
        scene.wait(.milliseconds(20))
        return scene
    }

    @Test func aNameThatNoBroadcastHasMayBeAHosts() throws {
        var scene = searchingAHost()
        #expect(scene.dials.map(\.address) == [NetworkAddress(host: "den")])
        scene.open(1, as: .stranger, by: try #require(scene.dials.first))
        scene.greet(1, "den")
        #expect(scene.answers == [.connected("den")])
    }

    /// One that is called otherwise is taken there once mDNS should have named the other.
    @Test func atAHostABroadcastOfAnotherNameWaitsForMDNS() throws {
        var scene = searchingAHost()
        scene.open(1, as: .stranger, by: try #require(scene.dials.first))
        scene.greet(1, "Kitchen")
        #expect(scene.answers.isEmpty)
        var other = scene
        other.find("den")
        other.open(2, as: .stranger, by: try #require(other.dials.last))
        other.greet(2, "den")
        #expect(other.answers == [.connected("den")] && other.closed == [1])
        scene.wait(ControlLimits.nameTime)
        #expect(scene.answers == [.connected("Kitchen")])
    }

    /// What is found by a name must be a member's, wherever it is.
    @Test func aStrangerAtAHostIsNotOfTheHousehold() throws {
        var scene = searchingAHost(inHousehold: true)
        scene.open(1, as: .stranger, by: try #require(scene.dials.first))
        #expect(scene.answers.isEmpty && scene.closed == [1])
        scene.wait(ControlLimits.patience)
        #expect(scene.ending == .notOfHousehold(["den:28884"]) && scene.dials.count == 1)
    }

    @Test func aHostThatDoesNotAnswerIsNotCalledAgain() {
        var scene = searchingAHost()
        for dial in scene.dials { scene.handle(.dialFailed(dial)) }
        scene.wait(ControlLimits.patience)
        #expect(scene.ending == .notFound(others: []) && scene.dials.count == 1)
    }

    @Test(arguments: ["Living Room", "Küche", "-den", "12", "den_2"])
    func whatNoHostIsCalledIsNotResolved(name: String) {
        var scene = ControlScene(.named(name), [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .notFound(others: []) && scene.dials.isEmpty)
    }

    @Test func anAddressAsksNobodyElse() {
        var scene = ControlScene(.address(NetworkAddress(host: "10.0.0.9")), [Self.pause])
        scene.handle(.tick)
        #expect(scene.dials.map(\.address.host) == ["10.0.0.9"] && !scene.isSearching)
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .noAnswer)
    }

    @Test func aListenerAtTheAddressIsNoBroadcast() throws {
        var scene = ControlScene(.address(NetworkAddress(host: "10.0.0.9")), [Self.pause])
        scene.handle(.tick)
        scene.handle(.opened(ConnectionID(1), .dialed(try #require(scene.dials.first)), address: "10.0.0.9"))
        scene.greet(1, "Shelf", roles: .listener)
        #expect(scene.ending == .broadcastsNothing("Shelf"))
    }
}
