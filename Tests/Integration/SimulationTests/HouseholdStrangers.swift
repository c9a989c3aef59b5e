import AudioCore
import Peering
import SimulationKit

/// Who does not belong to the household, and wants to be heard, or fed, or in the way.
final class HouseholdStrangers {
    private let world: World
    /// They broadcast all the time, claim to be older than all others, and one has the lowest UUID.
    private(set) var broadcasters: [BroadcastNode] = []
    /// It wants to hear what the household plays.
    private(set) var listener: ListenNode
    private let flooders: [FloodNode]
    /// Whom they flood now.
    private(set) var victim: HouseholdMachine?

    static let names = ["Stranger 1", "Stranger 2", "Eavesdropper"]

    init(_ world: World) {
        self.world = world
        listener = world.addListener(Self.names[2]) { $0.allowedNames = ["Broadcaster 1", "Broadcaster 2"] }
        flooders = (0..<5).map { world.addFlooder($0 < 3 ? .silent : .introduced) }
        for index in 0..<2 { broadcasters.append(add(index)) }
    }

    private func add(_ index: Int) -> BroadcastNode {
        let identities = (0..<(index == 0 ? 64 : 1)).compactMap { _ in world.makeIdentity() }
        let lowest = identities.min { $0.key.uuid.high < $1.key.uuid.high }
        let song = VirtualSong(title: "Spam \(index)", duration: .seconds(400), variant: 2 + index)
        return world.addBroadcaster(Self.names[index], song: song, isAttended: false, identity: lowest) {
            $0.greeting.started = 1
            $0.start = .now
        }
    }

    /// One of them is started anew: it dials again whom it found.
    func restartOne() {
        switch world.random.next() % 3 {
        case 0: listener = world.restart(listener, .process)
        case let number:
            let former = broadcasters[Int(number) - 1]
            broadcasters[Int(number) - 1] = world.restart(former, .process, song: former.performance.song)
        }
    }

    /// All places for strangers are taken: of a listener by 80 connections, of a broadcaster by more than one address
    /// may have.
    func flood(_ machine: HouseholdMachine) {
        let isListener = machine is ListeningMachine
        guard let host = machine.virtualMachine?.name else { return }
        victim = machine
        for flooder in flooders { flooder.begin(host, connections: isListener ? 16 : 70) }
    }

    func endFlood() {
        victim = nil
        for flooder in flooders { flooder.end() }
    }

    var floodedConnectionCount: Int { flooders.reduce(0) { $0 + $1.connectionCount } }

    /// Nobody who is refused is sent more than this: the handshake, a greeting, a refusal.
    private static let refusedByteCount = 2_000

    /// What they got of what the household played.
    var findings: [Finding] {
        let most = flooders.map(\.mostReceived).max() ?? 0
        return most > Self.refusedByteCount ? [Finding(.foreign, "a flood was sent \(most) bytes")] : []
    }
}
