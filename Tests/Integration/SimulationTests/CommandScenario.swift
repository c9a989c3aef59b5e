import AudioCore
import SimulationKit
import Testing
import WireProtocol

/// One broadcast of four songs to twenty listeners, commanded by five controllers: what is done is drawn from the seed.
final class CommandScenario {
    let world: World
    private let broadcaster: BroadcastNode
    private var controllers: [ControlNode] = []
    /// When each listener came, in seconds.
    private var joined: [Double] = []
    private var random: SimulationRandom

    struct Tally {
        var findings: [String] = []
        /// Windows in which something was due, and those in which it was heard at its place.
        var dueCount = 0
        var songCount = 0
        /// Those in which one fell silent for a moment.
        var gapCount = 0
    }

    init(seed: UInt64) {
        world = World(seed: seed)
        random = world.random.fork()
        for index in 1...18 {
            let quality = index % 3 == 0 ? LinkQuality.wireless : .quietLAN
            world.addListener("Listener \(index)", quality: quality)
        }
        world.run(for: .seconds(3))
        joined = world.listeners.map { _ in 0 }
        let songs = (0..<4).map { VirtualSong(title: "song \($0)", duration: .seconds(12), variant: $0) }
        broadcaster = world.addBroadcaster("Broadcaster", songs: songs)
        world.run(for: .seconds(2))
        for index in 1...5 { controllers.append(world.addController("Controller \(index)", of: broadcaster)) }
        world.run(for: .seconds(1))
    }

    var summary: String {
        let doneCount = controllers[0].log.count
        return "\(controllers.reduce(0) { $0 + $1.asked.count }) commands, \(doneCount) done, "
            + "\(broadcaster.stretches.count) stretches"
    }

    func run(seconds: Double) {
        let end = world.loop.now + TimeSpan(seconds: seconds)
        var next = world.loop.now + .seconds(8)
        while world.loop.now < end {
            world.run(for: random.span(.milliseconds(20) ... .milliseconds(900)))
            let controller = controllers[Int(random.next() % 5)]
            let id = CommandID(high: random.next(), low: random.next())
            controller.ask(operation(), id: id, twice: random.chance(0.2))
            guard world.loop.now >= next else { continue }
            next = next + .seconds(8)
            // Somebody comes, and somebody goes.
            joined.append(Double(world.loop.now.nanoseconds) * 1e-9)
            world.addListener("Latecomer \(joined.count)")
            world.listeners[Int(random.next() % 18)].crash(sayingGoodbye: true)
        }
        world.run(for: .seconds(3))
    }

    private func operation() -> CommandOperation {
        let position = ItemReference.position(Int(random.next() % 5))
        let operations: [ProgrammeOperation] = [
            .pause, .resume, .toggle, .play, .play, .next, .previous, .stop, .play,
            .seek(to: random.span(.zero ... .seconds(14))), .skip(by: random.span(.seconds(-9) ... .seconds(9))),
            .jump(to: position), .move(position, to: Int(random.next() % 4)), .setShuffle(random.chance(0.5)),
            .setRepeat(random.chance(0.2) ? .one : .all),
        ]
        if random.chance(0.1) { return .listeners(.volume(.level(Int(random.next() % 101))), of: .all) }
        return .programme(operations[Int(random.next() % UInt64(operations.count))])
    }

    // MARK: What must be so

    func expectCommandsDoneOnce(_ replay: Comment) {
        var done: [CommandID: UInt64] = [:]
        for controller in controllers {
            for command in controller.asked {
                let outcomes = controller.outcomes[command.id] ?? []
                #expect(!outcomes.isEmpty, replay)
                #expect(Set(outcomes.map(\.verdict)).count == 1, replay)
                if case .done(let number, _)? = outcomes.first?.verdict { done[command.id] = number }
            }
        }
        // Nothing else was done, and nothing twice.
        let log = controllers[0].log
        #expect(log.map(\.number) == Array(1...UInt64(max(1, log.count))).prefix(log.count).map { $0 }, replay)
        #expect(log.count == done.count && log.allSatisfy { done[$0.id] == $0.number }, replay)
        #expect(zip(log, log.dropFirst()).allSatisfy { $0.effect <= $1.effect }, replay)
    }

    func expectFollowersAgree(_ replay: Comment) {
        for controller in controllers {
            #expect(controller.gapCount == 0, replay)
            #expect(controller.log == controllers[0].log, replay)
            var state = controller.state
            state?.sent = controllers[0].state?.sent ?? SessionTime(nanoseconds: 0)
            #expect(state == controllers[0].state, replay)
        }
        let volume = controllers[0].state?.volume
        for listener in world.listeners where listener.machine.isAlive {
            #expect(listener.groupVolume == volume, replay)
        }
    }

    /// Every window that somebody heard in the middle of a stretch holds what is due there, or nothing. Behind a cut
    /// there is nothing, until something else is due.
    func listen(grace: Double, limit: TimeSpan) -> Tally {
        var tally = Tally()
        let frames = Int64(HeardWindow.frameCount)
        for stretch in broadcaster.stretches {
            let performance = stretch.performance
            guard let start = performance.seconds(of: Double(stretch.first.index)) else { continue }
            let next = nextStart(after: stretch)
            for (listener, since) in zip(world.listeners, joined) where start > since {
                let windows = listener.ear.windows(of: performance)
                for (index, window) in windows.enumerated() {
                    let first = Int64(index) * frames
                    guard let window, first > stretch.first.index + Int64(grace * VirtualSong.sampleRate) else {
                        continue
                    }
                    let margin = Int64(0.03 * VirtualSong.sampleRate)
                    if let end = stretch.end, first + frames > end.index - margin {
                        let behind = Double(first - end.index) / VirtualSong.sampleRate
                        let time = performance.seconds(of: Double(first + frames)) ?? 0
                        if behind > grace, time < next, window.content != .silence, tally.findings.count < 20 {
                            tally.findings.append("\(listener.name) sounds \(behind) s after a cut of \(stretch.epoch)")
                        }
                        continue
                    }
                    tally.dueCount += 1
                    switch window.content {
                    case .song where abs(window.lateness.nanoseconds) <= limit.nanoseconds: tally.songCount += 1
                    case .silence: break
                    // A short gap on a poor link: both its ramps lie in this window.
                    case .other where isShortGap(index, windows, limit): tally.gapCount += 1
                    // Whoever comes in late, or drops out, does so with a ramp of 10 ms, which may lie in two windows.
                    case .other where isBesideSilence(index, windows): break
                    default:
                        guard tally.findings.count < 20 else { continue }
                        tally.findings.append(
                            "\(listener.name) heard \(window) in window \(index) of \(performance.song.title), "
                                + "\(stretch.epoch)")
                    }
                }
            }
        }
        return tally
    }

    private func isShortGap(_ index: Int, _ windows: [HeardWindow?], _ limit: TimeSpan) -> Bool {
        guard let window = windows[index], window.gain < 1 else { return false }
        return [-1, 1].allSatisfy { distance in
            guard windows.indices.contains(index + distance), let neighbour = windows[index + distance] else {
                return false
            }
            return neighbour.content == .song && abs(neighbour.lateness.nanoseconds) <= limit.nanoseconds
        }
    }

    private func isBesideSilence(_ index: Int, _ windows: [HeardWindow?]) -> Bool {
        [-2, -1, 1, 2].contains { distance in
            let neighbour = index + distance
            return windows.indices.contains(neighbour) && windows[neighbour].map { $0.content == .silence } ?? true
        }
    }

    /// When the first stretch begins that begins behind this one's end, in seconds.
    private func nextStart(after stretch: Stretch) -> Double {
        guard let cut = stretch.performance.cut else { return 0 }
        let starts = broadcaster.stretches.compactMap { $0.performance.seconds(of: Double($0.first.index)) }
        return starts.filter { $0 > cut - 0.05 }.min() ?? .infinity
    }
}
