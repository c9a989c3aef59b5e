import AudioCore
import Broadcasting
import Listening

/// How a node came to be started anew.
public enum Restart: CaseIterable, Sendable {
    /// Its process was killed and started again: the kernel closed what was open.
    case process
    /// The power went: nobody was told, and the machine that comes up knows of no connection and counts its time from
    /// zero.
    case power
}

extension World {
    /// Ends a listener, if it has not ended, and starts it anew: the same peer under the same name and address.
    @discardableResult
    public func restart(_ node: ListenNode, _ restart: Restart) -> ListenNode {
        if node.machine.isAlive { node.crash(sayingGoodbye: restart == .process) }
        var configuration = node.configuration
        configuration.greeting.instance = random.next()
        configuration.greeting.started = greeting("", .listener).started
        if restart == .process { node.discovery?.withdraw(node.greeting.contactKey) }
        return add(
            configuration, on: restarted(node.machine, restart), mdns: node.discovery != nil,
            card: node.cardConfiguration, identity: node.identity)
    }

    /// Ends a broadcaster, if it has not ended, and starts it anew with another song: the same peer under the same name
    /// and address.
    @discardableResult
    public func restart(_ node: BroadcastNode, _ restart: Restart, song: VirtualSong) -> BroadcastNode {
        if node.machine.isAlive { node.crash(sayingGoodbye: restart == .process) }
        var configuration = node.configuration
        configuration.greeting.instance = random.next()
        configuration.greeting.started = greeting("", .broadcaster).started
        if restart == .process { node.discovery?.withdraw(node.greeting.contactKey) }
        return add(
            configuration, on: restarted(node.machine, restart), song: song, mdns: node.discovery != nil,
            identity: node.identity, isAttended: node.isAttended, fault: node.fault)
    }

    private func restarted(_ machine: VirtualMachine, _ restart: Restart) -> VirtualMachine {
        var clock = machine.clock
        // It has run for some seconds when its programs start.
        if restart == .power { clock.offset += .seconds(5) - (machine.now - HostTime(nanoseconds: 0)) }
        let anew = VirtualMachine(name: machine.name, loop: loop, clock: clock)
        network.attach(anew, quality: network.quality(of: machine) ?? quality)
        return anew
    }

    /// Breaks what connects two machines, so that both sides learn of it at once, and lets the calls of both cross.
    public func crossDials(_ listener: ListenNode) {
        listener.breakConnections()
        network.gatherDials(for: .milliseconds(900))
    }
}
