import AudioCore
import Broadcasting
import SimulationKit
import Testing

/// Five minutes in a household where things happen: one scenario for each seed.
@Suite struct SeedTests {
    /// What becomes of a listener.
    private enum Fate {
        case stays
        case joins(second: Int64)
        case dies(second: Int64, sayingGoodbye: Bool)
        case stops(second: Int64)
    }

    private struct Cast {
        var node: ListenNode
        var fate: Fate
    }

    @Test(arguments: Seeds.long) func fiveMinutes(seed: UInt64) throws {
        let world = World(seed: seed)
        let song = VirtualSong(title: "Five minutes", duration: .seconds(300))
        var cast: [Cast] = []
        var late: [(second: Int64, name: String)] = []
        for index in 1...(3 + Int(world.random.next() % 6)) {
            // The first two stay, so that there is always somebody to compare with.
            let fate = index <= 2 ? Fate.stays : fate(&world.random)
            if case .joins(let second) = fate {
                late.append((second, "Listener \(index)"))
            } else {
                cast.append(Cast(node: world.addListener("Listener \(index)"), fate: fate))
            }
        }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        for second in 1...302 as ClosedRange<Int64> {
            world.run(for: .seconds(1))
            for (_, name) in late.filter({ $0.second == second }) {
                cast.append(Cast(node: world.addListener(name), fate: .joins(second: second)))
            }
            perform(second, cast)
            disturb(world, broadcaster)
        }
        world.run(for: .seconds(2))

        try expectPromptStart(world, broadcaster)
        try expectCompleted(world, broadcaster)
        expectInStep(world, broadcaster)
        expectBounded(world)
        for member in cast { check(world, member, broadcaster) }
        let skew = world.skew(of: broadcaster.performance)
        print("seed \(seed): \(cast.count) listeners, \(world.loop.eventCount) events, \(skew)")
        try expectAnotherBroadcast(world)
    }

    private func fate(_ random: inout SimulationRandom) -> Fate {
        let second = Int64(random.uniform(5...280))
        return switch random.next() % 5 {
        case 0: .joins(second: second)
        case 1: .dies(second: second, sayingGoodbye: false)
        case 2: .dies(second: second, sayingGoodbye: true)
        case 3: .stops(second: second)
        default: .stays
        }
    }

    private func perform(_ second: Int64, _ cast: [Cast]) {
        for member in cast {
            switch member.fate {
            case .dies(second, let sayingGoodbye): member.node.crash(sayingGoodbye: sayingGoodbye)
            case .stops(second): member.node.stop()
            default: break
            }
        }
    }

    /// Now and then a machine stands still for 65 ms, or a connection breaks. Nobody may hear of it.
    private func disturb(_ world: World, _ broadcaster: BroadcastNode) {
        let index = Int(world.random.next() % UInt64(world.listeners.count))
        switch world.random.next() % 60 {
        case 0: world.listeners[index].machine.freeze(for: .milliseconds(65))
        case 1: broadcaster.machine.freeze(for: .milliseconds(65))
        case 2: if world.listeners[index].machine.isAlive { world.listeners[index].breakConnections() }
        default: break
        }
    }

    private func check(_ world: World, _ member: Cast, _ broadcaster: BroadcastNode) {
        let hearing = member.node.hearing(of: broadcaster)
        expectNoStraySound(world, member.node)
        switch member.fate {
        case .stays: expectWhole(world, [member.node], broadcaster)
        case .joins(let second):
            #expect(hearing.isWholeFromEntry, "\(member.node.name): \(hearing); \(world.replay)")
            #expect((hearing.first ?? .max) < Int(second + 1) * 50, "\(member.node.name): \(hearing); \(world.replay)")
        case .dies(let second, _), .stops(let second):
            // The fade at the end, or what lay in the sound card when the machine died.
            let last = Int(second - 1) * 50
            #expect(hearing.first == 0 && hearing.isClean(0..<last), "\(member.node.name): \(hearing); \(world.replay)")
        }
    }

    /// Whoever is left takes the next broadcast.
    private func expectAnotherBroadcast(_ world: World) throws {
        let left = world.listeners.filter { $0.machine.isAlive && $0.outcome == nil }
        #expect(world.areListenersIdle, "\(world.replay)")
        let next = world.addBroadcaster("Next", song: VirtualSong(title: "Next", duration: .seconds(4), variant: 1))
        world.run(for: .seconds(7))
        try expectPromptStart(world, next)
        expectWhole(world, left, next)
        expectInStep(world, next, among: left)
        try expectCompleted(world, next)
    }
}
