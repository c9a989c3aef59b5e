import AudioCore
import Cryptography
import HouseholdSessions
import Households
import Pairing
import Peering
import SimulationKit

/// What happens to those who are to be let in.
extension HouseholdScenario {
    /// Until a process that waits is found by others.
    private static let findingTime = VirtualDiscovery.registrationTime + .milliseconds(300)
    /// How long a machine that was invited looks for somebody who lets it in.
    private static let enrolmentTime = TimeSpan.seconds(25)
    private static let standInTime = TimeSpan.seconds(8)

    private var newcomers: [ListeningMachine] {
        listeners.filter { $0.joined == nil && $0.out == nil && $0.stoppedUntil == nil }
    }

    /// Lets something happen to one of them, or mostly nothing.
    func happenToNewcomers() {
        let number = admissions.random.next() % 20
        guard let newcomer = admissions.pick(newcomers) else { return }
        switch number {
        case 0, 1: plan(.rightCode, at: newcomer)
        // One more than are allowed, at most.
        case 2: plan(.wrongCode, at: newcomer, times: 1 + Int(admissions.random.next() % 4))
        case 3: plan(.oldCode, at: newcomer)
        case 4, 5: plan(.brokenOff(admissions.anyBreak()), at: newcomer)
        case 6, 7: plan(.byStranger, at: newcomer)
        case 8: standIn(for: newcomer)
        case 9: invite(newcomer)
        default: break
        }
    }

    // MARK: Codes

    /// Its user asks for a code, unless one is on the screen.
    func showCode(on newcomer: ListeningMachine) {
        if newcomer.pairings.last?.isRunning == true { return }
        log("\(newcomer.name) waits to be paired")
        let node = world.addNewcomer(
            newcomer.name, newcomer.identity, on: newcomer.node.machine, instance: admissions.random.next())
        newcomer.pairings.append(node)
        admissions.nodes.append(node)
    }

    private func plan(_ kind: PairingTry.Kind, at newcomer: ListeningMachine, times: Int = 1) {
        showCode(on: newcomer)
        var span = Self.findingTime
        for _ in 0..<times {
            span += admissions.random.span(.zero ... .seconds(2))
            world.loop.after(span) { [weak self] in
                guard let self, !admissions.isOver, newcomer.joined == nil, newcomer.stoppedUntil == nil else { return }
                begin(kind, at: newcomer)
            }
        }
    }

    /// Somebody types a code: a member that the user happens to be at, unless it is said who.
    func begin(_ kind: PairingTry.Kind, at newcomer: ListeningMachine, by named: HouseholdMachine? = nil) {
        guard let code = typedCode(kind, of: newcomer) else { return }
        let sponsor: HouseholdMachine?
        switch kind {
        case .byStranger: sponsor = nil
        case .rightCode, .brokenOff, .wrongCode, .oldCode:
            guard let member = named ?? admissions.pick(authors.filter({ $0 !== newcomer })) else { return }
            sponsor = member
        }
        let (target, isClear) = anyTarget(newcomer)
        let node = world.addSponsor(
            sponsor?.name ?? "Stranger", sponsor?.identity ?? admissions.stranger,
            on: sponsor?.virtualMachine ?? admissions.strangersMachine, instance: admissions.random.next(),
            target: target, code: code, unasked: sponsor == nil ? unasked(for: newcomer) : nil)
        for other in admissions.tries { other.isAlone = false }
        let attempt = PairingTry(
            kind, code, by: sponsor, at: newcomer, node: node, began: now, isClear: isClear,
            isAlone: admissions.tries.isEmpty)
        admissions.tries.append(attempt)
        log("\(attempt.description) types a code: \(kind)")
        node.onAdmission = { [unowned self, unowned attempt] key in noteAdmission(of: key, by: attempt) }
        if case .brokenOff(let end) = kind { breakOff(attempt, end) }
        node.start()
    }

    /// What is typed; nil if there is nothing to be read.
    private func typedCode(_ kind: PairingTry.Kind, of newcomer: ListeningMachine) -> PairingCode? {
        let codes = newcomer.pairings.flatMap(\.codes)
        guard let last = codes.last else { return nil }
        switch kind {
        case .rightCode, .brokenOff: return newcomer.pairings.last?.isRunning == true ? last : nil
        case .wrongCode: return admissions.otherCode(than: last)
        case .oldCode, .byStranger:
            return admissions.pick(Array(codes.dropLast())) ?? admissions.otherCode(than: last)
        }
    }

    private func anyTarget(_ newcomer: ListeningMachine) -> (target: SponsorTarget, isClear: Bool) {
        switch admissions.random.next() % 3 {
        case 0: (.any, false)
        case 1: (.named(newcomer.name), admissions.standIn?.isRunning != true)
        default: (.address(NetworkAddress(host: newcomer.node.machine.name, port: NewcomerNode.port)), true)
        }
    }

    /// Strangers' household with a new machine in it, now and then.
    private func unasked(for newcomer: ListeningMachine) -> Household? {
        guard admissions.random.chance(0.3), var household = admissions.stranger.household else { return nil }
        let keys = admissions.stranger.keys
        try? household.admit(newcomer.identity.keys.signingKey, name: newcomer.name, by: keys)
        return household
    }

    private func breakOff(_ attempt: PairingTry, _ end: PairingBreak) {
        attempt.node.onMessage = { [unowned self, unowned attempt] count in
            guard count == end.afterMessages else { return }
            attempt.node.machine.after(end.delay) { [weak self, weak attempt] in
                guard let self, let attempt, !admissions.isOver else { return }
                perform(end, on: attempt)
            }
        }
    }

    private func perform(_ end: PairingBreak, on attempt: PairingTry) {
        log("\(attempt.description): \(end.kind) after \(end.afterMessages) messages")
        let newcomer = attempt.newcomer
        switch end.kind {
        case .cut:
            world.network.cut(off: newcomer.node.machine, for: end.span)
            newcomer.cuts.append(now...now + end.span)
        case .sponsorKilled: attempt.node.kill()
        case .newcomerKilled: newcomer.pairings.last?.kill()
        }
    }

    /// A stranger's machine waits under the name of a new one, whose code is then typed for that name.
    private func standIn(for newcomer: ListeningMachine) {
        admissions.standIn?.kill()
        log("a stranger waits as \(newcomer.name)")
        let node = world.addNewcomer(
            newcomer.name, admissions.stranger, on: admissions.strangersMachine, instance: admissions.random.next())
        admissions.standIn = node
        admissions.nodes.append(node)
        world.loop.after(Self.standInTime) { [weak node] in node?.kill() }
        plan(.rightCode, at: newcomer)
    }

    // MARK: Invitations

    /// A member makes a file of an invitation, and two machines get it.
    private func invite(_ newcomer: ListeningMachine) {
        let other = admissions.pick(newcomers.filter { $0 !== newcomer })
        let seconds: Int64 = admissions.random.chance(0.2) ? 2 : 60
        guard let inviter = admissions.pick(authors), let household = inviter.identity.household,
            let made = try? Invitation(to: household, until: now.unixTime + seconds, by: inviter.identity.keys),
            let invitation = try? Invitation(fileText: made.fileText.withBytes { Array($0) })
        else { return }
        let takers = [newcomer] + (other.map { [$0] } ?? [])
        log("\(inviter.name) invites \(takers.map(\.name)) for \(seconds) s")
        admissions.invitations.append(HouseholdInvitation(invitation, to: takers.map(\.key)))
        var span = TimeSpan.zero
        for taker in takers {
            world.loop.after(span) { [weak self] in self?.enrol(taker, by: invitation) }
            span += admissions.random.span(.zero ... .seconds(8))
        }
    }

    private func enrol(_ taker: ListeningMachine, by invitation: Invitation) {
        guard !admissions.isOver, taker.joined == nil, taker.stoppedUntil == nil else { return }
        log("\(taker.name) shows its invitation")
        let node = world.addRound(
            .enrolling(invitation), taker.name, taker.identity, on: taker.node.machine,
            instance: admissions.random.next())
        admissions.rounds.append(node)
        world.loop.after(Self.enrolmentTime) { [weak node] in node?.kill() }
    }
}
