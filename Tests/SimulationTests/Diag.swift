import SimulationKit
import Glibc
func diagnose(_ world: World, _ b: BroadcastNode) {
    guard getenv("DIAG") != nil else { return }
    let all = world.listeners.map { $0.ear.windows(of: b.performance) }
    for k in stride(from: 0, to: all[0].count, by: 10) {
        print("DIAG", k, all.map { ($0[k]?.lateness.microseconds ?? .nan).rounded() })
    }
    for n in world.listeners { print("DIAG", n.name, n.hearing(of: b)) }
}
import AudioCore
import Testing
@Suite struct Diag {
    @Test func clocks() {
        let world = World(seed: 4)
        for index in 1...8 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let b = world.addBroadcaster("Broadcaster", song: VirtualSong(title: "Song", duration: .seconds(8)))
        for _ in 0..<40 {
            world.run(for: .milliseconds(250))
            let n = world.listeners[6]
            print("DIAG", world.loop.now.seconds, n.clockError(against: b)?.microseconds ?? .nan, n.snapshot.modelBound?.microseconds ?? .nan, n.snapshot.dacRate.value, n.snapshot.correction, n.snapshot.timelineError?.microseconds ?? .nan)
        }
        print("DIAG", world.listeners[6].cardCrystal)
    }
}
