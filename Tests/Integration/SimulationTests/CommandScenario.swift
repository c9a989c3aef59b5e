import AudioCore
import SimulationKit
import Testing
import WireProtocol

/// One broadcast of songs of all lengths to twenty listeners, commanded by five controllers, while machines and sound
/// cards stand still, radio loses what it carries, and listeners come and go. All that happens is drawn from the seed.
final class CommandScenario {
    static let listenerCount = 20
    /// Of these every third is on radio, as are two of the controllers.
    private static let radioSpacing = 3
    private static let controllerCount = 5
    /// In every other seed some cards keep what is written to them.
    private static let keptSpan = TimeSpan.milliseconds(150)

    let world: World
    let broadcaster: BroadcastNode
    private(set) var listeners: [CommandedListener] = []
    private(set) var controllers: [ControlNode] = []
    private var generator: CommandGenerator
    private var random: SimulationRandom
    private var commandCount = 0

    init(seed: UInt64) {
        world = World(seed: seed)
        random = world.random.fork()
        let webSongs = [3.0, 1.2, 6].enumerated().map { index, seconds in
            VirtualSong(title: "http://songs/\(index)", duration: TimeSpan(seconds: seconds), variant: index)
        }
        generator = CommandGenerator(
            addresses: webSongs.compactMap { WebAddress($0.title) }, random: random.fork())
        let songs = [12.0, 4, 9, 1.5, 15, 2.5].enumerated().map { index, seconds in
            VirtualSong(title: "song \(index)", duration: TimeSpan(seconds: seconds), variant: index % 4)
        }
        let keeps = random.chance(0.5)
        let world = world
        for index in 1...Self.listenerCount {
            let isWireless = index % Self.radioSpacing == 0
            let kept = keeps && index % 7 == 0 ? Self.keptSpan : nil
            let node = world.addListener(
                "Listener \(index)", quality: isWireless ? .wireless : .quietLAN, cardHolding: kept
            ) { $0.access.household = Self.household }
            listeners.append(
                CommandedListener(node: node, joined: 0, isWireless: isWireless, kept: kept?.seconds ?? 0))
        }
        world.run(for: .seconds(3))
        broadcaster = world.addBroadcaster("Broadcaster", songs: songs, webSongs: webSongs, household: Self.household)
        world.run(for: .seconds(2))
        for index in 1...Self.controllerCount {
            controllers.append(
                world.addController(
                    "Controller \(index)", of: broadcaster, quality: index % 2 == 0 ? .wireless : .quietLAN))
        }
        world.run(for: .seconds(1))
    }

    /// All are members of it: in open mode nobody but its own machine shifts a listener or gives it a role.
    private static let household = "Home"

    // MARK: What happens

    func run(seconds: Double) {
        let end = world.loop.now + TimeSpan(seconds: seconds)
        var command = world.loop.now
        var trouble = world.loop.now + .seconds(2)
        var change = world.loop.now + .seconds(6)
        while world.loop.now < end {
            world.run(until: min(command, trouble, change))
            if world.loop.now >= command {
                ask()
                command = generator.time(after: world.loop.now, joints: joints)
            }
            if world.loop.now >= trouble {
                disturb()
                trouble = world.loop.now + random.span(.milliseconds(500) ... .milliseconds(3_500))
            }
            if world.loop.now >= change {
                leave()
                join()
                change = world.loop.now + random.span(.seconds(4) ... .seconds(9))
            }
        }
        world.run(for: .seconds(3))
        // What changes now and then, as listeners' errors, is on its way to one or another.
        _ = world.run(atMost: .seconds(1)) { Set(controllers.map { $0.state?.sequence }).count == 1 }
        for controller in controllers { controller.askForQueue() }
        _ = world.run(atMost: .seconds(2)) {
            controllers.allSatisfy { $0.pages.count == 1 } && Set(controllers.map { $0.state?.sequence }).count == 1
        }
    }

    /// Where songs follow one another, as far as that is known.
    private var joints: [TrueTime] {
        broadcaster.stretches.compactMap { stretch in
            stretch.endSeconds.flatMap { stretch.isCut ? nil : TrueTime(seconds: $0) }
        }
    }

    private func ask() {
        let controller = controllers[Int(random.next() % UInt64(controllers.count))]
        let names = listeners.filter { $0.left == .infinity }.map(\.node.name)
        for operation in generator.operations(by: controller.state, listeners: names) {
            commandCount += 1
            controller.ask(operation, id: generator.id(), twice: generator.comesTwice())
        }
        // One of them loses its connection now and then, perhaps with what it has just asked for.
        if random.chance(0.1) { controllers[controllers.count - 1].reconnect() }
    }

    private var present: [Int] { listeners.indices.filter { listeners[$0].left == .infinity } }

    /// A sound card that stands still while its clock is learned is trusted again only seconds later: not judged here.
    private static let learningTime = 2.0

    /// A machine stands still, or a sound card does.
    private func disturb() {
        let settled = present.filter { listeners[$0].joined < world.loop.now.seconds - Self.learningTime }
        let node = listeners[settled[Int(random.next() % UInt64(settled.count))]].node
        switch random.next() % 3 {
        case 0: node.machine.freeze(for: random.span(.milliseconds(50) ... .milliseconds(400)))
        case 1: node.stallCard(for: random.span(.milliseconds(50) ... .seconds(1)))
        default: break
        }
    }

    private func leave() {
        let index = present[Int(random.next() % UInt64(present.count))]
        listeners[index].left = world.loop.now.seconds
        switch random.next() % 3 {
        case 0: listeners[index].node.stop()
        case 1: listeners[index].node.crash(sayingGoodbye: true)
        default: listeners[index].node.crash(sayingGoodbye: false)
        }
    }

    private func join() {
        let isWireless = random.chance(0.3)
        let node = world.addListener(
            "Latecomer \(listeners.count)", quality: isWireless ? .wireless : .quietLAN
        ) { $0.access.household = Self.household }
        listeners.append(
            CommandedListener(node: node, joined: world.loop.now.seconds, isWireless: isWireless, kept: 0))
    }

    var summary: String {
        "\(commandCount) commands, \(controllers[0].log.count) done, \(broadcaster.stretches.count) stretches"
    }
}

extension Stretch {
    /// Whether it ends before its song does.
    var isCut: Bool { end.map { $0.index < performance.song.frameCount } ?? false }

    /// The frame before which it ends: the song's end, as long as nothing else is known.
    var endFrame: Int64 { min(end?.index ?? .max, performance.song.frameCount) }

    var startSeconds: Double? { performance.seconds(of: Double(first.index)) }
    var endSeconds: Double? { performance.seconds(of: Double(endFrame)) }
}
