import AudioCore
import Cryptography
import Households
import SimulationKit

/// What happens to its machines.
extension HouseholdScenario {
    /// Lets something happen, or mostly nothing.
    func happen() {
        switch world.random.next() % 20 {
        case 2: removeOne()
        case 3: removeTwoAtOnce()
        case 4, 5: cutOff()
        case 6: stop()
        case 7, 8, 9: restartListener()
        case 10: restartBroadcaster()
        case 11, 12, 13: flood()
        case 14: strangers.restartOne()
        case 15: breakConnections()
        default: break
        }
    }

    func pick<Machine>(_ machines: [Machine]) -> Machine? {
        machines.isEmpty ? nil : machines[Int(world.random.next() % UInt64(machines.count))]
    }

    var running: [HouseholdMachine] { machines.filter { $0.stoppedUntil == nil } }

    func log(_ text: String) { events.append("\(now.seconds): \(text)") }

    /// Looks at what a machine stores and is sent.
    func watch(_ machine: HouseholdMachine) {
        if let household = machine.identity.household { note(household, at: machine) }
        machine.identity.onStore = { [unowned self, unowned machine] in note($0, at: machine) }
        machine.identity.onInvited = { [unowned self, unowned machine] in noteInvited($0, by: machine) }
        machine.identity.onDocument = { [unowned self, unowned machine] bytes in
            if let household = try? Household(decoding: bytes) { noteSecret(of: household, at: machine) }
        }
    }

    private func note(_ household: Household, at machine: HouseholdMachine) {
        noteSecret(of: household, at: machine)
        noteJoining(of: machine, household)
        for other in machines where other.out == nil && household.isOut(other.key) {
            other.out = now
            log("\(other.name) is out, says \(machine.name)")
        }
    }

    private func noteSecret(of household: Household, at machine: HouseholdMachine) {
        if knowledge.note(secretOf: household, at: machine, of: machines) {
            add(.foreign, "\(machine.name) knows a secret that was made after its removal")
        }
    }

    // MARK: Troubles

    private func cutOff() {
        let connected = running.filter { !$0.isCut(within: .zero, before: now) }
        guard let machine = pick(connected), let host = machine.virtualMachine
        else { return }
        let span = world.random.span(.seconds(2) ... .seconds(30))
        log("\(machine.name) is cut off for \(span.seconds) s")
        world.network.cut(off: host, for: span)
        machine.cuts.append(now...now + span)
    }

    private func breakConnections() {
        guard let machine = pick(listeners.filter { $0.stoppedUntil == nil }) else { return }
        log("\(machine.name)'s connections break")
        machine.node.breakConnections()
        machine.cuts.append(now...now)
    }

    private func stop() {
        guard let machine = pick(running) else { return }
        let isPolite = world.random.chance(0.5)
        machine.stoppedUntil = now + world.random.span(.seconds(3) ... .seconds(30))
        log("\(machine.name) is stopped")
        switch machine {
        case let machine as ListeningMachine:
            machine.noteEnd(at: now)
            machine.node.crash(sayingGoodbye: isPolite)
        case let machine as BroadcastingMachine: machine.node.crash(sayingGoodbye: isPolite)
        default: break
        }
    }

    private var anyRestart: Restart { world.random.chance(0.5) ? .process : .power }

    /// Starts a machine that was stopped.
    func start(_ machine: HouseholdMachine) {
        log("\(machine.name) is started")
        switch machine {
        case let machine as ListeningMachine: machine.restarted(as: world.restart(machine.node, anyRestart), at: now)
        case let machine as BroadcastingMachine: broadcast(machine, nil, anyRestart)
        default: break
        }
    }

    private func restartListener() {
        guard let machine = pick(listeners.filter { $0.stoppedUntil == nil }) else { return }
        log("\(machine.name) is started anew")
        machine.restarted(as: world.restart(machine.node, anyRestart), at: now)
    }

    private func restartBroadcaster() {
        guard let machine = pick(broadcasters.filter { $0.stoppedUntil == nil }) else { return }
        broadcast(machine, nil, anyRestart)
    }

    private func flood() {
        guard world.random.chance(0.7), let machine = pick(running) else {
            strangers.endFlood()
            return log("no flood")
        }
        log("\(machine.name) is flooded")
        strangers.flood(machine)
    }
}
