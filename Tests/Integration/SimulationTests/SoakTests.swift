import AudioCore
import Glibc
import SimulationKit
import Testing

/// A very long song: nothing grows, and nobody wanders off. Eight hours under `Scripts/test --long`, else ten minutes.
@Suite(.timeLimit(.minutes(90))) struct SoakTests {
    /// Memory is the process's: it runs in one of its own.
    @Test func musicForEightHours() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let soak = Soak(seed: 1, seconds: Seeds.isLong ? 8 * 3_600 : 600)
            soak.run()
            for part in soak.parts { print(part) }
            report(soak.findings(), soak.world)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// A song for three listeners who stay and others who come and go, in eight parts that must be alike. The machines
/// stand still now and then and connections break; the third listener is cut off for longer than what it holds.
final class Soak {
    /// What is held when a part of the song is over.
    struct Part: CustomStringConvertible {
        /// Of the process, in KiB; what ears remember left out.
        var resident: Int
        /// Events that are waited for, connections, members.
        var pending: Int
        var connections: Int
        var members: Int

        var description: String {
            "\(resident) KiB, \(pending) events waited for, \(connections) connections, \(members) members"
        }
    }

    private static let partCount = 8
    private static let stepSeconds: Int64 = 30
    /// What a heap scatters, in KiB.
    private static let allowance = (Seeds.isLong ? 4 : 8) * 1_024
    private static let stayers = 3

    let world: World
    private(set) var parts: [Part] = []
    private let seconds: Int64
    private let broadcaster: BroadcastNode
    private let listeners: [ListenNode]
    private var visitor: ListenNode?
    /// When the third listener was cut off, and sounded again.
    private var outages: [ClosedRange<Double>] = []

    /// - Parameter seconds: how long the song is; at least 600.
    init(seed: UInt64, seconds: Int64) {
        world = World(seed: seed)
        self.seconds = seconds
        listeners = (1...Self.stayers).map { [world] in world.addListener("Listener \($0)") }
        world.run(for: .seconds(3))
        let song = VirtualSong(title: "Song", duration: .seconds(seconds))
        broadcaster = world.addBroadcaster("Broadcaster", song: song)
    }

    func run() {
        world.run(for: .seconds(20))
        let stepCount = (seconds - 60) / Self.stepSeconds
        let partLength = max(1, stepCount / Int64(Self.partCount))
        for step in 0..<stepCount {
            let next = world.loop.now + .seconds(Self.stepSeconds)
            switch step % partLength {
            case 0: visitor = world.addListener("Visitor \(step / partLength + 1)")
            case partLength - 1:
                // It leaves for good: it is not looked for, and is no more work.
                visitor?.stop()
                world.run(for: .seconds(2))
                visitor?.crash(sayingGoodbye: true)
                world.run(for: .seconds(5))
                note()
            default: disturb()
            }
            world.run(for: next - world.loop.now)
        }
        world.run(for: .seconds(60))
    }

    private func disturb() {
        let listener = listeners[Int(world.random.next() % UInt64(Self.stayers))]
        switch world.random.next() % 20 {
        case 0, 1: listener.machine.freeze(for: .milliseconds(100))
        case 2: broadcaster.machine.freeze(for: .milliseconds(100))
        case 3, 4: listener.breakConnections()
        case 5: world.network.cut(off: listener.machine, for: world.random.span(.milliseconds(100) ... .seconds(5)))
        case 6: listener.stallCard(for: .seconds(1))
        case 7:
            let span = world.random.span(.seconds(12) ... .seconds(20))
            world.network.cut(off: listeners[2].machine, for: span)
            let begin = world.loop.now.seconds
            outages.append(begin...begin + span.seconds + (Reconnection.time + Reconnection.soundTime).seconds + 1)
        default: break
        }
    }

    private func note() {
        parts.append(
            Part(
                resident: Self.resident - world.heardByteCount / 1_024, pending: world.loop.pendingCount,
                connections: broadcaster.connectionCount, members: broadcaster.session.listeners.count))
    }

    /// proc(5), `statm`: pages.
    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "re") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize()) / 1_024
    }

    // MARK: What is wrong

    func findings() -> [Finding] {
        var findings = world.findingsOfMemory() + world.findingsOfEnd(broadcaster)
        if parts.count < Self.partCount { findings.append(Finding(.lost, "\(parts.count) parts")) }
        // The first fills what is filled once.
        if let first = parts.dropFirst().first, let last = parts.last {
            if last.resident > first.resident + Self.allowance { findings.append(Finding(.unbounded, "\(parts)")) }
            if last.pending > 2 * first.pending { findings.append(Finding(.unbounded, "\(parts)")) }
            // Those who stay, and at most a visitor that has just gone.
            if last.connections > Self.stayers + 1 || last.members > Self.stayers + 1 {
                findings.append(Finding(.unbounded, "\(parts)"))
            }
        }
        for (number, node) in listeners.enumerated() {
            findings += findingsOfGaps(node, except: number == 2 ? outages : []) + findingsOfDrift(node)
            findings += world.findingsOfStraySound(node)
        }
        return findings
            + world.findingsOfSkew(
                broadcaster, among: Array(listeners.prefix(2)), within: .microseconds(50), quiet: World.recovery)
    }

    /// Every window of 20 ms that no fault touched holds the song at its place.
    private func findingsOfGaps(_ node: ListenNode, except outages: [ClosedRange<Double>]) -> [Finding] {
        let performance = broadcaster.performance
        let silent = outages.compactMap { outage -> ClosedRange<Int>? in
            guard let first = performance.window(at: outage.lowerBound),
                let last = performance.window(at: outage.upperBound)
            else { return nil }
            return first...last
        }
        let missing = world.missingWindows(of: performance, for: node, quiet: World.recovery)
            .filter { window in !silent.contains { $0.contains(window) } }
        guard !missing.isEmpty else { return [] }
        return [Finding(.notWhole, "\(node.name) misses \(missing.count) windows: \(missing.prefix(9))")]
    }

    /// The median of how late it was in the first eighth of the song, and in the last.
    private func findingsOfDrift(_ node: ListenNode) -> [Finding] {
        let windows = node.ear.windows(of: broadcaster.performance).compactMap(\.self).filter { $0.content == .song }
        let eighth = windows.count / Self.partCount
        guard eighth > 0 else { return [Finding(.notWhole, "\(node.name) heard nothing")] }
        let medians = [windows.prefix(eighth), windows.suffix(eighth)].map { part in
            part.map(\.lateness).sorted()[eighth / 2].microseconds
        }
        print("\(node.name): \(medians[0]) us late in the median of the first eighth, \(medians[1]) us of the last")
        guard abs(medians[1] - medians[0]) > 5 else { return [] }
        return [Finding(.apart, "\(node.name) was \(medians[0]) us late, then \(medians[1]) us")]
    }
}
