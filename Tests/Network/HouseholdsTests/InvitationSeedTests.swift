import Cryptography
import SecureChannel
import StreamTestKit
import Testing

@testable import Households

/// Members that invite, let in, remove and meet at random, and machines that show one invitation to several of them.
private struct InvitingWorld {
    private(set) var replicas: [PeerKey: Household] = [:]
    private var keys: [PeerKeyPair]
    private var generator: SeededGenerator
    private(set) var invitations: [Invitation] = []
    /// Who let whom in by each invitation.
    private(set) var uses: [[(member: PeerKey, machine: PeerKey)]] = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        keys = (0..<4).map { _ in .random() }
        var home = try Household(name: "Home", founder: keys[0], memberName: "0")
        for (index, other) in keys.enumerated().dropFirst() {
            try home.admit(other.signingKey, name: "\(index)", by: keys[0])
        }
        for key in keys { replicas[key.key] = home }
    }

    private mutating func random() -> PeerKeyPair { keys.randomElement(using: &generator)! }

    mutating func step() throws {
        let one = random()
        guard let household = replicas[one.key] else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            guard invitations.count < 5, household.isMember(one.key) else { return }
            invitations.append(try Invitation(to: household, until: 1_000, by: one))
            uses.append([])
        case 1...4: try show(to: one, household)
        case 5:
            guard uses.count > 3, let victim = household.members.randomElement(using: &generator) else { return }
            var household = household
            guard (try? household.remove(victim.key, by: one)) != nil else { return }
            replicas[one.key] = household
        default: try meet(one, random())
        }
    }

    /// A new machine shows an invitation to one member.
    private mutating func show(to member: PeerKeyPair, _ before: Household) throws {
        guard let index = invitations.indices.randomElement(using: &generator), keys.count < 12 else { return }
        let machine = PeerKeyPair.random()
        let binding = ChannelBinding(RandomNumbers.bytes32())
        let request = try invitations[index].request(for: machine, name: "new", over: binding)
        var household = before
        let wasUsed = before.isOut(request.voucher.key.peerKey)
        do throws(InvitationError) {
            try household.admit(request, from: machine.key, over: binding, at: 0, by: member)
        } catch {
            return
        }
        #expect(!wasUsed, "a used invitation lets in")
        #expect(household.isMember(machine.key))
        // What a merge left open is for the member to settle, as after any merge.
        #expect(household.secret != nil || before.needsSettling)
        replicas[member.key] = household
        replicas[machine.key] = household
        keys.append(machine)
        uses[index].append((member.key, machine.key))
    }

    private mutating func meet(_ one: PeerKeyPair, _ other: PeerKeyPair) throws {
        guard one.key != other.key, var first = replicas[one.key], var second = replicas[other.key],
            first.isMember(other.key), second.isMember(one.key)
        else { return }
        let before = first
        try first.merge(second)
        try second.merge(before)
        (replicas[one.key], replicas[other.key]) = (first, second)
    }

    /// What everybody knows together.
    func union() throws -> Household {
        var union: Household?
        for household in replicas.values {
            try union?.merge(household)
            union = union ?? household
        }
        return try #require(union)
    }

    /// A new machine tries each invitation at whoever is a member in a document of all.
    func uses(in household: Household) throws -> [Result<Household, InvitationError>] {
        guard let member = keys.first(where: { household.isMember($0.key) }) else { return [] }
        return try invitations.map { invitation in
            let machine = PeerKeyPair.random()
            let binding = ChannelBinding(RandomNumbers.bytes32())
            let request = try invitation.request(for: machine, name: "late", over: binding)
            var household = household
            do throws(InvitationError) {
                try household.admit(request, from: machine.key, over: binding, at: 0, by: member)
                return .success(household)
            } catch {
                return .failure(error)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct InvitationSeedTests {
    @Test(arguments: 0..<60) func whoeverHasMetLetsNobodyInASecondTime(seed: UInt64) throws {
        var world = try InvitingWorld(seed: seed)
        for _ in 0..<80 { try world.step() }
        let union = try world.union()
        for (use, result) in zip(world.uses, try world.uses(in: union)) {
            // A member lets one machine in by an invitation, whatever it has merged before.
            #expect(Set(use.map(\.member)).count == use.count, "seed \(seed)")
            if !use.isEmpty {
                #expect(throws: InvitationError.self, "seed \(seed)") { try result.get() }
            }
        }
        // The keys of invitations are in no list.
        let invited = Set(world.invitations.map(\.voucher.key.peerKey))
        #expect(union.members.allSatisfy { !invited.contains($0.peerKey) }, "seed \(seed)")
    }

    @Test(arguments: 0..<20) func documentsOfInvitedMachinesAreAuthentic(seed: UInt64) throws {
        var world = try InvitingWorld(seed: seed)
        for _ in 0..<80 { try world.step() }
        for household in world.replicas.values {
            #expect(try Household(decoding: household.encoded()) == household, "seed \(seed)")
        }
    }
}
