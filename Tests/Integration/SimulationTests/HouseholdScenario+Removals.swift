import AudioCore
import Households
import SecureChannel
import SimulationKit

/// Somebody removed a machine, and tells the others.
struct RemovalRound {
    let subject: HouseholdMachine
    let node: RoundNode
    let began: TrueTime
    /// The others' processes of that time.
    let processes: [(machine: HouseholdMachine, process: AnyObject?)]
}

/// Who removes whom.
extension HouseholdScenario {
    private static let mostRemovals = 4

    /// Machines whose user may change the household, as far as they know.
    var authors: [HouseholdMachine] {
        running.filter { $0.identity.household?.isMember($0.key) == true }
    }

    private var removable: [HouseholdMachine] {
        let spared = [broadcasters[0].key, listeners[0].key, listeners[1].key]
        return machines.filter { $0.admitted != nil && !spared.contains($0.key) }
    }

    func removeOne() {
        guard let author = pick(authors) else { return }
        if let subject = pick(removable.filter { $0 !== author }) { remove(subject, by: author) }
    }

    /// Two members remove the same machine, or two, or one of them the other, before they hear of each other.
    func removeTwoAtOnce() {
        guard let first = pick(authors), let second = pick(authors.filter { $0 !== first }),
            let subject = pick(removable.filter { $0 !== first }),
            let other = pick(removable.filter { $0 === subject || $0 === first }.filter { $0 !== second })
        else { return }
        remove(subject, by: first)
        remove(other, by: second)
    }

    private func remove(_ subject: HouseholdMachine, by author: HouseholdMachine) {
        guard removalCount < Self.mostRemovals, var household = author.identity.household,
            household.isMember(subject.key),
            (try? household.remove(subject.identity.keys.signingKey, by: author.identity.keys)) != nil
        else { return }
        removalCount += 1
        subject.removers.append(author.key)
        log("\(author.name) removes \(subject.name)")
        author.identity.store(household)
        if let machine = author.virtualMachine { tell(household, author, subject, on: machine) }
    }

    /// As the command does that removes.
    private func tell(
        _ household: Household, _ author: HouseholdMachine, _ subject: HouseholdMachine, on machine: VirtualMachine
    ) {
        let others = Set(household.members.map(\.peerKey)).subtracting([author.key])
        let node = world.addRound(
            .removing(others), author.name, author.identity, on: machine, instance: admissions.random.next())
        removalRounds.append(
            RemovalRound(
                subject: subject, node: node, began: now, processes: machines.map { ($0, $0.process) }))
    }

    /// Whoever was told of a removal knows of it, even from one that was removed itself at the same time.
    func judgeRemovals() {
        for round in removalRounds where !round.node.isRunning {
            guard let outcome = round.node.outcome else { continue }
            tally.removalNews += outcome.told.count
            tally.lastWords += outcome.told.intersection(outcome.refusals.keys).count
            for (machine, process) in round.processes where outcome.told.contains(machine.key) {
                guard machine.stoppedUntil == nil, machine.process === process,
                    !machine.isCut(within: now - round.began, before: now),
                    machine.identity.household?.isOut(round.subject.key) == false
                else { continue }
                add(.disagreement, "\(machine.name) was told that \(round.subject.name) is out, and does not know")
            }
        }
        removalRounds.removeAll { !$0.node.isRunning }
    }
}
