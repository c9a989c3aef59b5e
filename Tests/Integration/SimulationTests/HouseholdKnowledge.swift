import AudioCore
import Peering
import SecureChannel
import SimulationKit

@testable import Households

/// What machines know of each other, and since when; and who may know which secret.
struct HouseholdKnowledge {
    struct Pair: Hashable {
        var knower: PeerKey
        var subject: PeerKey
    }

    /// Since when a machine's process knows that another is out.
    private(set) var out: [Pair: TrueTime] = [:]
    /// Since when it knows that the other belongs to the household.
    private(set) var members: [Pair: TrueTime] = [:]
    /// Keys that were out when a secret was made, as far as its maker knew. It is the first to store it.
    private var withheld: [[UInt8]: Set<PeerKey>] = [:]

    /// Takes what a machine's process knows now.
    mutating func note(_ knower: HouseholdMachine, of machines: [HouseholdMachine], at now: TrueTime) {
        guard let household = knower.household else { return }
        for subject in machines where subject !== knower {
            let pair = Pair(knower: knower.key, subject: subject.key)
            if household.isMember(subject.key) {
                if members[pair] == nil { members[pair] = now }
            } else {
                members[pair] = nil
                if out[pair] == nil, household.isOut(subject.key) { out[pair] = now }
            }
        }
    }

    /// Since when both know each other as members.
    func mutual(_ a: HouseholdMachine, _ b: HouseholdMachine) -> TrueTime? {
        guard let one = members[Pair(knower: a.key, subject: b.key)],
            let other = members[Pair(knower: b.key, subject: a.key)]
        else { return nil }
        return max(one, other)
    }

    /// Since when a machine knows that another one is out.
    func parting(of knower: HouseholdMachine, from subject: HouseholdMachine) -> TrueTime? {
        out[Pair(knower: knower.key, subject: subject.key)]
    }

    /// Takes a household that a machine has stored, or was sent.
    /// - Returns: whether the machine now knows a secret whose maker knew that it was out.
    mutating func note(
        secretOf household: Household, at machine: HouseholdMachine, of machines: [HouseholdMachine]
    ) -> Bool {
        guard let secret = household.newestSecret else { return false }
        let keys = withheld[secret] ?? Set(machines.map(\.key).filter { household.isOut($0) })
        withheld[secret] = keys
        return keys.contains(machine.key)
    }
}

extension Household {
    /// The secret that counts among those it knows, whether or not somebody knows it who must not.
    fileprivate var newestSecret: [UInt8]? { latestSecret?.bytes.withBytes { Array($0) } }
}
