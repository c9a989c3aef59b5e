import AudioCore
import Broadcasting
import Households
import Listening
import SecureChannel
import SimulationKit

/// A machine of a ``HouseholdScenario``, through all its processes.
class HouseholdMachine {
    let name: String
    let identity: MachineIdentity
    /// When a member first let it in; nil before that.
    var admitted: TrueTime?
    /// When it stored the household; nil before that.
    var joined: TrueTime?
    /// Who let it in after the household was founded, and who removed it.
    var sponsors: [PeerKey] = []
    var removers: [PeerKey] = []
    /// When first any machine's household said that it is out.
    var out: TrueTime?
    /// When it was cut off from the network, or its connections broke.
    var cuts: [ClosedRange<TrueTime>] = []
    /// Until when its process is stopped; nil while it runs.
    var stoppedUntil: TrueTime?

    init(name: String, identity: MachineIdentity) {
        self.name = name
        self.identity = identity
    }

    var key: PeerKey { identity.key }

    /// What its process knows, or knew when it ended.
    var household: Household? { nil }
    var virtualMachine: VirtualMachine? { nil }
    /// The one that runs on it, or ran last.
    var process: AnyObject? { nil }

    /// Whether it was cut off within so long before a time.
    func isCut(within span: TimeSpan, before now: TrueTime) -> Bool {
        cuts.contains { $0.lowerBound <= now && now <= $0.upperBound + span }
    }

    /// Whether it runs, and is known to nobody as removed.
    var isRunningMember: Bool { joined != nil && out == nil && stoppedUntil == nil }
}

final class BroadcastingMachine: HouseholdMachine {
    let variant: Int
    var node: BroadcastNode
    /// When the next broadcast begins; nil while one goes on.
    var next: TrueTime?

    init(name: String, identity: MachineIdentity, variant: Int, node: BroadcastNode) {
        self.variant = variant
        self.node = node
        super.init(name: name, identity: identity)
    }

    override var household: Household? { node.household }
    override var virtualMachine: VirtualMachine? { node.machine }
    override var process: AnyObject? { node }

    /// Whether its song goes on for longer than this.
    func isBroadcasting(for span: TimeSpan, after now: TrueTime) -> Bool {
        guard stoppedUntil == nil, node.outcome == nil else { return false }
        let performance = node.performance
        guard let end = performance.seconds(of: Double(performance.song.frameCount)) else { return true }
        return now.seconds + span.seconds < end
    }
}

final class ListeningMachine: HouseholdMachine {
    var node: ListenNode
    /// Since when its process runs.
    var began: TrueTime
    /// Who feeds it now.
    var feed: HouseholdFeed?
    /// Since when it waits although there is a broadcast for it.
    var waiting: TrueTime?
    /// Sound at times at which nothing was due, as far as it was counted.
    var straySampleCount = 0
    /// Its processes that waited to be paired; the last one may still.
    var pairings: [NewcomerNode] = []
    /// Its processes that ended, and how long each lived.
    var former: [(node: ListenNode, life: ClosedRange<TrueTime>)] = []

    init(name: String, identity: MachineIdentity, node: ListenNode, began: TrueTime) {
        self.node = node
        self.began = began
        super.init(name: name, identity: identity)
    }

    override var household: Household? { node.household }
    override var virtualMachine: VirtualMachine? { node.machine }
    override var process: AnyObject? { node }

    /// All its processes, and how long each lived until now.
    func processes(until now: TrueTime) -> [(node: ListenNode, life: ClosedRange<TrueTime>)] {
        stoppedUntil == nil ? former + [(node, began...now)] : former
    }

    /// Another process runs from now on.
    func restarted(as anew: ListenNode, at now: TrueTime) {
        if stoppedUntil == nil { noteEnd(at: now) }
        stoppedUntil = nil
        (node, began, straySampleCount) = (anew, now, 0)
    }

    func noteEnd(at now: TrueTime) {
        former.append((node, began...now))
        (feed, waiting) = (nil, nil)
    }
}

/// A time in which one broadcast fed one listener.
final class HouseholdFeed {
    let listener: ListeningMachine
    let node: ListenNode
    let machine: BroadcastingMachine
    let broadcast: BroadcastNode
    let from: TrueTime
    var to: TrueTime

    init(
        _ listener: ListeningMachine, by machine: BroadcastingMachine, _ broadcast: BroadcastNode, from: TrueTime
    ) {
        self.listener = listener
        node = listener.node
        self.machine = machine
        self.broadcast = broadcast
        (self.from, to) = (from, from)
    }
}
