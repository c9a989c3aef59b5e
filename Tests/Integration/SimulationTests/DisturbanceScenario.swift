import AudioCore
import Broadcasting
import SimulationKit

/// A song during which machines come, die and stand still, and connections break. One scenario for each seed. What is
/// wrong with how it sounded, it says itself.
final class DisturbanceScenario {
    /// What becomes of a listener.
    private enum Fate {
        case stays
        case joins(second: Int64)
        case dies(second: Int64, sayingGoodbye: Bool)
        case stops(second: Int64)
    }

    private struct Participant {
        var node: ListenNode
        var fate: Fate
    }

    /// What a quiet LAN owes, disturbed or not: this from the first sample on,
    private static let wholeSkew = TimeSpan.microseconds(50)
    /// and this from 10 s after a listener's first sound: in no window more, in 99 of 100 a sample at 48 kHz.
    private static let settledSkew = TimeSpan.microseconds(30)
    private static let settledP99Skew = TimeSpan.microseconds(21)
    private static let settlingTime = TimeSpan.seconds(10)

    let world: World
    private let seconds: Int64
    /// Something happens once in so many seconds.
    private let disturbanceInterval: UInt64
    private let fault: PlantedFault?
    private var participants: [Participant] = []
    private(set) var broadcasters: [BroadcastNode] = []
    private var bounds = PublishedBounds()

    /// - Parameters:
    ///   - seconds: how long the song is.
    ///   - fault: planted into the first listener, or into the broadcaster.
    init(seed: UInt64, seconds: Int64, disturbanceInterval: UInt64, fault: PlantedFault? = nil) {
        world = World(seed: seed)
        self.seconds = seconds
        self.disturbanceInterval = disturbanceInterval
        self.fault = fault
    }

    func run() {
        var late: [(second: Int64, name: String)] = []
        for index in 1...(3 + Int(world.random.next() % 6)) {
            let name = "Listener \(index)"
            // The first two stay, so that there is always somebody to compare with.
            let fate = index <= 2 ? Fate.stays : fate()
            if case .joins(let second) = fate {
                late.append((second, name))
            } else {
                let node = world.addListener(name, fault: index == 1 ? fault : nil)
                participants.append(Participant(node: node, fate: fate))
            }
        }
        world.run(for: .seconds(3))
        let song = VirtualSong(title: "Song", duration: .seconds(seconds))
        broadcasters = [world.addBroadcaster("Broadcaster", song: song, fault: fault)]
        for second in 1...seconds + 2 {
            world.run(for: .seconds(1))
            for (_, name) in late.filter({ $0.second == second }) {
                participants.append(Participant(node: world.addListener(name), fate: .joins(second: second)))
            }
            bounds.note(world, broadcasters[0].performance)
            perform(second)
            disturb()
        }
        world.run(for: .seconds(2))
    }

    /// Whoever is left takes the next broadcast. To be called after ``run()``.
    func runAnotherBroadcast() {
        let song = VirtualSong(title: "Next", duration: .seconds(4), variant: 1)
        broadcasters.append(world.addBroadcaster("Next", song: song))
        world.run(for: .seconds(7))
    }

    var summary: String {
        let skew = world.skew(of: broadcasters[0].performance)
        let settled = world.skew(of: broadcasters[0].performance, settled: Self.settlingTime)
        return
            "seed \(world.seed): \(participants.count) listeners, \(world.loop.eventCount) events, \(skew); after 10 s "
            + "worst \(settled.worst.microseconds) us"
    }

    // MARK: What happens

    private func fate() -> Fate {
        let second = Int64(world.random.uniform(5...Double(seconds - 20)))
        return switch world.random.next() % 5 {
        case 0: .joins(second: second)
        case 1: .dies(second: second, sayingGoodbye: false)
        case 2: .dies(second: second, sayingGoodbye: true)
        case 3: .stops(second: second)
        default: .stays
        }
    }

    private func perform(_ second: Int64) {
        for participant in participants {
            switch participant.fate {
            case .dies(second, let sayingGoodbye): participant.node.crash(sayingGoodbye: sayingGoodbye)
            case .stops(second): participant.node.stop()
            default: break
            }
        }
    }

    /// Now and then a machine stands still for a tenth of a second, or a connection breaks. Nobody may hear of it.
    private func disturb() {
        let index = Int(world.random.next() % UInt64(world.listeners.count))
        switch world.random.next() % (3 * disturbanceInterval) {
        case 0: world.listeners[index].machine.freeze(for: .milliseconds(100))
        case 1: broadcasters[0].machine.freeze(for: .milliseconds(100))
        case 2: if world.listeners[index].machine.isAlive { world.listeners[index].breakConnections() }
        default: break
        }
    }

    // MARK: What was heard

    /// What listeners published of themselves against what was heard of them.
    var boundsVerdict: PublishedBounds.Verdict { bounds.verdict(world, broadcasters[0].performance) }

    /// What is wrong with it, until now.
    func findings() -> [Finding] {
        var findings: [Finding] = world.findingsOfMemory()
        for broadcaster in broadcasters {
            findings += world.findingsOfStart(broadcaster) + world.findingsOfEnd(broadcaster)
            findings += world.findingsOfSkew(broadcaster, within: Self.wholeSkew)
        }
        findings += world.findingsOfSkew(
            broadcasters[0], within: Self.settledSkew, p99: Self.settledP99Skew, settled: Self.settlingTime)
        for participant in participants { findings += self.findings(participant) }
        guard broadcasters.count > 1 else { return findings }
        let left = world.listeners.filter { $0.machine.isAlive && $0.outcome == nil }
        return findings + world.findingsOfWholeness(left, broadcasters[1])
    }

    private func findings(_ participant: Participant) -> [Finding] {
        let hearing = participant.node.hearing(of: broadcasters[0])
        let isAsDue =
            switch participant.fate {
            case .stays: hearing.isWhole
            case .joins(let second): hearing.isWholeFromEntry && (hearing.first ?? .max) < Int(second + 1) * 50
            // The fade at the end, or what lay in the sound card when the machine died.
            case .dies(let second, _), .stops(let second):
                hearing.first == 0 && hearing.isClean(0..<Int(second - 1) * 50)
            }
        let flaws = isAsDue ? [] : [Finding(.notWhole, "\(participant.node.name), who \(participant.fate): \(hearing)")]
        return flaws + world.findingsOfStraySound(participant.node)
    }
}
