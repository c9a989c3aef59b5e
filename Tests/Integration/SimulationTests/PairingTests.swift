import AudioCore
import Cryptography
import HouseholdSessions
import Households
import Pairing
import SimulationKit
import Testing

/// One machine is let into the household of another, over a simulated network.
@Suite(.timeLimit(.minutes(5)), .serialized) struct PairingTests {
    @Test func aRightCodeMakesAMember() throws {
        let scene = try PairingScene(seed: 1)
        let waiting = scene.wait()
        scene.type(try #require(waiting.codes.last))
        #expect(scene.isKnown && scene.knows)
        #expect(waiting.codes.count == 1 && !waiting.isRunning)
    }

    @Test func threeWrongCodesCloseUntilAskedAgain() throws {
        let scene = try PairingScene(seed: 2)
        let waiting = scene.wait()
        for _ in 0..<4 { scene.type(try #require(PairingCode("0000 0000"))) }
        #expect(waiting.failures == [.wrongCode, .wrongCode, .wrongCode])
        #expect(!waiting.isRunning && !scene.isKnown && !scene.knows)
        scene.type(try #require(scene.wait().codes.last))
        #expect(scene.isKnown && scene.knows)
    }

    /// The new machine never has the household without being a member, and can be paired in any case.
    @Test(arguments: 1...4) func aPairingThatBreaksOffCanBeMadeAgain(messages: Int) throws {
        let scene = try PairingScene(seed: 3)
        let waiting = scene.wait()
        scene.type(try #require(waiting.codes.last), killedAfter: messages)
        #expect(scene.isKnown || !scene.knows)
        guard !scene.knows else { return }
        #expect(waiting.isRunning && waiting.codes.count <= 2)
        scene.type(try #require(waiting.codes.last))
        #expect(scene.isKnown && scene.knows)
    }

    @Test func aMemberThatBroadcastsLetsInByAnInvitation() throws {
        let scene = try PairingScene(seed: 4)
        let household = try #require(scene.member.household)
        let made = try Invitation(to: household, until: 1_700_000_600, by: scene.member.keys)
        let invitation = try Invitation(fileText: made.fileText.withBytes { Array($0) })
        var invited: [String] = []
        scene.member.onInvited = { invited.append($0) }
        let song = VirtualSong(title: "Song", duration: .seconds(60))
        scene.world.addBroadcaster("Den", song: song, identity: scene.member)
        scene.world.run(for: .seconds(3))
        scene.enrol(scene.newcomer, "Kitchen", by: invitation)
        #expect(scene.isKnown && scene.knows)
        let other = try #require(scene.world.makeIdentity())
        scene.enrol(other, "Attic", by: invitation)
        #expect(other.household == nil && invited == ["Kitchen"])
    }
}

/// A member's machine and a new one.
private final class PairingScene {
    let world: World
    let member: MachineIdentity
    let newcomer: MachineIdentity
    private let memberMachine: VirtualMachine
    private let newcomerMachine: VirtualMachine
    private var instance: UInt64 = 0
    /// Processes live as long as somebody holds them.
    private var processes: [AnyObject] = []

    init(seed: UInt64) throws {
        SeededSodium.begin(seed: seed)
        let world = World(seed: seed, hasKeys: true)
        self.world = world
        member = try #require(world.makeIdentity())
        newcomer = try #require(world.makeIdentity())
        memberMachine = world.addMachine()
        newcomerMachine = world.addMachine()
        member.store(try Household(name: "Home", founder: member.keys, memberName: "Den"))
    }

    /// Whether the household has the new machine, and the other way round.
    var isKnown: Bool { member.household?.isMember(newcomer.key) == true }
    var knows: Bool { newcomer.household != nil }

    private func nextInstance() -> UInt64 {
        instance += 1
        return instance
    }

    func wait() -> NewcomerNode {
        let node = world.addNewcomer("Kitchen", newcomer, on: newcomerMachine, instance: nextInstance())
        processes.append(node)
        world.run(for: .seconds(2))
        return node
    }

    /// - Parameter count: the member's process is killed right after so many messages.
    func type(_ code: PairingCode, killedAfter count: Int? = nil) {
        let node = world.addSponsor(
            "Den", member, on: memberMachine, instance: nextInstance(), target: .named("Kitchen"), code: code)
        processes.append(node)
        node.onMessage = { [unowned node] number in
            guard number == count else { return }
            node.machine.after(.zero) { [weak node] in node?.kill() }
        }
        node.start()
        world.run(for: .seconds(8))
    }

    func enrol(_ identity: MachineIdentity, _ name: String, by invitation: Invitation) {
        processes.append(
            world.addRound(
                .enrolling(invitation), name, identity, on: world.addMachine(), instance: nextInstance()))
        world.run(for: .seconds(4))
    }
}
