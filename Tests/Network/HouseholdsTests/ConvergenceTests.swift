import Cryptography
import SecureChannel
import StreamTestKit
import Testing

@testable import Households

/// Machines that let in, remove, meet and are apart at random. Whoever is given a secret is written down.
private struct World {
    private(set) var replicas: [PeerKey: Household] = [:]
    private var keys: [PeerKeyPair]
    private var generator: SeededGenerator
    /// Whom each secret was ever given, by its digest.
    private(set) var holders: [Bytes32: Set<PeerKey>] = [:]
    /// Whom anybody removed.
    private(set) var removed: Set<PeerKey> = []

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let founder = PeerKeyPair.random()
        keys = [founder]
        keep(try Household(name: "Home", founder: founder, memberName: "0"), at: founder)
    }

    private mutating func keep(_ household: Household, at keys: PeerKeyPair) {
        replicas[keys.key] = household
        if let secret = household.latestSecret { holders[secret.digest, default: []].insert(keys.key) }
    }

    private mutating func random() -> PeerKeyPair { keys.randomElement(using: &generator)! }

    mutating func step() throws {
        let one = random()
        guard var household = replicas[one.key] else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1:
            guard keys.count < 10 else { return }
            let newcomer = PeerKeyPair.random()
            // A removed one may do so, too.
            guard (try? household.admit(newcomer.signingKey, name: "\(keys.count)", by: one)) != nil else { return }
            keys.append(newcomer)
            keep(household, at: one)
            keep(household, at: newcomer)
        case 2:
            guard removed.count < 4 else { return }
            let other = random()
            guard (try? household.remove(other.signingKey, by: one)) != nil else { return }
            if household.isOut(other.key) { removed.insert(other.key) }
            keep(household, at: one)
        case 3:
            if household.isMember(one.key) { _ = try household.settle(by: one) }
            keep(household, at: one)
        default: try meet(one, random())
        }
    }

    /// Each gives the other its document, if it takes the other for a member, and believes it on the same condition.
    mutating func meet(_ one: PeerKeyPair, _ other: PeerKeyPair) throws {
        guard one.key != other.key, let first = replicas[one.key], let second = replicas[other.key],
            first.isMember(other.key), second.isMember(one.key)
        else { return }
        for (own, theirs, at) in [(first, second, one), (second, first, other)] {
            var merged = own
            try merged.merge(try Household(decoding: theirs.encoded()))
            keep(merged, at: at)
        }
    }

    /// Everybody meets everybody until nothing changes any more.
    mutating func settle() throws {
        for _ in 0..<20 {
            let before = replicas
            for one in keys { for other in keys { try meet(one, other) } }
            for one in keys {
                guard var household = replicas[one.key], household.isMember(one.key) else { continue }
                _ = try household.settle(by: one)
                keep(household, at: one)
            }
            if replicas == before { return }
        }
    }

    /// Those who are members in their own eyes.
    var members: [Household] { replicas.filter { $0.value.isMember($0.key) }.map(\.value) }
}

/// That merges give the same in any order, and what the rules promise when all have met.
@Suite(.timeLimit(.minutes(5)))
struct ConvergenceTests {
    @Test(arguments: 0..<40) func mergesAreAJoin(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<60 { try world.step() }
        var generator = SeededGenerator(seed: seed)
        let all = Array(world.replicas.values)
        for _ in 0..<20 {
            let (x, y, z) = (
                all.randomElement(using: &generator)!, all.randomElement(using: &generator)!,
                all.randomElement(using: &generator)!
            )
            func join(_ a: Household, _ b: Household) throws -> Household {
                var result = a
                try result.merge(b)
                return result
            }
            #expect(try join(x, x) == x, "idempotent, seed \(seed)")
            #expect(try join(x, y) == join(y, x), "commutative, seed \(seed)")
            #expect(try join(join(x, y), z) == join(x, join(y, z)), "associative, seed \(seed)")
            #expect(try join(join(x, y), y) == join(x, y), "absorbing, seed \(seed)")
            let (one, other) = (try join(x, y), try join(y, x))
            #expect(one.members == other.members && one.secret == other.secret, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<60) func whoeverMeetsAgrees(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<80 { try world.step() }
        let removed = world.removed
        try world.settle()
        for household in world.members {
            #expect(household == world.members.first { $0.members == household.members }, "seed \(seed)")
            let secret = try #require(household.secret, "seed \(seed)")
            let holders = world.holders[secret.digest, default: []]
            #expect(holders.allSatisfy { !household.isOut($0) }, "a secret is known to a key that is out, seed \(seed)")
            #expect(!household.needsSettling && household.members.allSatisfy { !household.isOut($0.peerKey) })
        }
        // Removals that reached somebody who stays hold for all who meet it.
        for household in world.members {
            let out = removed.filter(household.isOut)
            #expect(household.members.allSatisfy { !out.contains($0.peerKey) }, "seed \(seed)")
        }
    }
}
