import AudioCore
import HouseholdSessions
import Pairing
import SecureChannel
import SimulationKit

@testable import Households

/// Who was let in by what, and whether that was right.
extension HouseholdScenario {
    // MARK: As it happens

    /// A machine has stored a household.
    func noteJoining(of machine: HouseholdMachine, _ household: Household) {
        guard machine.joined == nil else { return }
        machine.joined = now
        log("\(machine.name) has the household")
        guard machine.admitted == nil || household.id != broadcasters[0].identity.household?.id else { return }
        add(.foreign, "\(machine.name) is in \(household.name), into which nobody let it")
    }

    /// A member, or a stranger, lets in whoever showed it a code.
    func noteAdmission(of key: PeerKey, by attempt: PairingTry) {
        guard attempt.isRight, let sponsor = attempt.sponsor,
            let newcomer = listeners.first(where: { $0.key == key }),
            admissions.usedCodes.insert(attempt.code.displayText).inserted
        else { return add(.foreign, "\(attempt.description) lets somebody in by a code that is not right") }
        noteAdmission(of: newcomer, by: sponsor)
    }

    /// A process has let in a machine of this name by its invitation.
    func noteInvited(_ name: String, by host: HouseholdMachine) {
        guard let newcomer = listeners.first(where: { $0.name == name }), takeInvitation(of: newcomer, host) else {
            return add(.foreign, "\(host.name) lets \(name) in by an invitation that does not hold")
        }
        admissions.tally.invited += 1
        noteAdmission(of: newcomer, by: host)
    }

    private func noteAdmission(of newcomer: HouseholdMachine, by sponsor: HouseholdMachine) {
        log("\(sponsor.name) lets \(newcomer.name) in")
        newcomer.admitted = newcomer.admitted ?? now
        newcomer.sponsors.append(sponsor.key)
    }

    /// Whether a machine has an invitation that holds for this member. What is stored does not know of this admission
    /// yet, and may know of another that its process has not seen.
    private func takeInvitation(of newcomer: HouseholdMachine, _ host: HouseholdMachine) -> Bool {
        let shown = admissions.invitations.filter { held in
            let voucher = held.invitation.voucher
            return held.takers.contains(newcomer.key) && !voucher.isOver(at: now.unixTime)
                && host.household?.isOut(voucher.key.peerKey) == true
        }
        let unused = shown.filter { host.identity.household?.isOut($0.invitation.voucher.key.peerKey) != true }
        let isFirst = !unused.isEmpty || shown.contains { !$0.hosts.contains(host.key) }
        for held in unused { held.hosts.insert(host.key) }
        return isFirst
    }

    // MARK: Tries

    /// Looks at those that have ended.
    func judgeTries() {
        for listener in listeners {
            if let node = listener.pairings.last, !node.machine.isAlive { node.kill() }
        }
        admissions.rounds.removeAll { !$0.isRunning }
        let ended = admissions.tries.filter { !$0.node.isRunning }
        admissions.tries.removeAll { !$0.node.isRunning }
        for attempt in ended { judge(attempt) }
    }

    private func judge(_ attempt: PairingTry) {
        switch attempt.node.ending {
        case .paired(let name, let household)?: judgePairing(attempt, name, household)
        case .failed(let failure)?:
            log("\(attempt.description): \(failure)")
            admissions.tally.failedTries += 1
            if case .wrongCode = failure { admissions.wrongCodeCount += 1 }
            if mustSucceed(attempt, failure) { add(.lost, "\(attempt.description): \(failure)") }
        case nil: admissions.tally.brokenTries += 1
        }
    }

    /// Both sides have the household, or neither says that they do.
    private func judgePairing(_ attempt: PairingTry, _ name: String, _ household: Household) {
        guard attempt.isRight, let sponsor = attempt.sponsor,
            let newcomer = listeners.first(where: { $0.name == name }), newcomer.admitted != nil, newcomer.joined != nil
        else { return add(.foreign, "\(attempt.description) has paired \(name)") }
        log("\(sponsor.name) has paired \(name)")
        admissions.tally.pairings += 1
        guard attempt.node.machine.isAlive else { return }
        let others = Set(household.members.map(\.peerKey)).subtracting([sponsor.key, newcomer.key])
        admissions.rounds.append(
            world.addRound(
                .telling(others), sponsor.name, sponsor.identity, on: attempt.node.machine,
                instance: admissions.random.next()))
    }

    /// Whether nothing was in the way of a right code.
    private func mustSucceed(_ attempt: PairingTry, _ failure: SponsorFailure) -> Bool {
        guard case .rightCode = attempt.kind, attempt.isClear, attempt.isAlone, let sponsor = attempt.sponsor else {
            return false
        }
        switch failure {
        // Whom it may let in is for the household to say; and somebody before it may have lost its power in a try.
        case .notAdmitted, .turnedAway(_, .busy, _): return false
        default: break
        }
        let machines: [HouseholdMachine] = [sponsor, attempt.newcomer]
        let span: TimeSpan = now - attempt.began + .seconds(3)
        return attempt.node.machine.isAlive && attempt.newcomerMachine.isAlive
            && !machines.contains { $0.isCut(within: span, before: now) }
    }

    // MARK: At the end

    /// Who was let in and does not know it is paired again, and somebody is where nobody was.
    func letInTheRest() {
        admissions.isOver = true
        admissions.standIn?.kill()
        for round in admissions.rounds { round.kill() }
        for attempt in admissions.tries { attempt.node.kill() }
        for listener in listeners { listener.pairings.last?.kill() }
        judgeTries()
        for listener in listeners where isLeft(listener) {
            showCode(on: listener)
            look(for: .milliseconds(1_500))
            begin(.rightCode, at: listener, by: broadcasters[0])
            look(for: .seconds(3))
            if listener.joined == nil { add(.lost, "\(listener.name) cannot be paired") }
        }
    }

    private func isLeft(_ listener: ListeningMachine) -> Bool {
        guard listener.joined == nil, broadcasters[0].identity.household?.isOut(listener.key) == false else {
            return false
        }
        return listener.admitted != nil || admissions.tally.pairings == 0
    }

    /// Members are those who were let in by a right code or an invitation, and not removed, and nobody else.
    func lookForMembers(of household: Household) {
        for machine in machines {
            if household.isMember(machine.key) {
                let isRemoved = wasRemoved(machine, from: household)
                guard machine.admitted == nil || machine.joined == nil || isRemoved else { continue }
                add(.foreign, "\(machine.name) is a member: let in \(machine.admitted as Any), removed \(isRemoved)")
            } else if machine.admitted != nil, machine.removers.isEmpty,
                // Who was let in by one that was removed may be out with it.
                machine.sponsors.allSatisfy({ household.isMember($0) })
            {
                add(.lost, "\(machine.name) was let in, and is no member")
            }
        }
        let known = Set(machines.map(\.key))
        for member in household.members where !known.contains(member.peerKey) {
            add(.foreign, "\(member.name) is a member, and none of the machines")
        }
    }

    /// Whether somebody who stays removed a machine, or knew of its removal by whomever.
    private func wasRemoved(_ machine: HouseholdMachine, from household: Household) -> Bool {
        machine.removers.contains { household.isMember($0) }
            || machines.contains { other in
                household.isMember(other.key) && knowledge.parting(of: other, from: machine) != nil
            }
    }

    /// Every failure was counted, and the third one closed pairing.
    func lookAtTries() {
        var wrongCodeCount = 0
        for node in admissions.nodes {
            wrongCodeCount += node.failures.count { $0 == .wrongCode }
            var isClosed = false
            if case .failed(.tooManyFailures)? = node.ending { isClosed = true }
            let isLast = node.failures.count == PairingLimits.failureCount
            if node.failures.count <= PairingLimits.failureCount, isClosed == isLast { continue }
            add(.unbounded, "\(node.name) waits after \(node.failures.count) failures")
        }
        guard admissions.wrongCodeCount > wrongCodeCount else { return }
        add(.lost, "\(admissions.wrongCodeCount) were told that their code is wrong, \(wrongCodeCount) were counted")
    }
}
