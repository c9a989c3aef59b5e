import AudioCore
import NIOCore
import Peering

/// Everything between the machines: connections like TCP's, datagrams like UDP's.
///
/// What happens on it depends on the seed alone. A machine that is dead answers nothing; one that runs and does not
/// listen refuses.
public final class VirtualNetwork {
    /// A machine's place on the network.
    final class Attachment {
        let machine: VirtualMachine
        var quality: LinkQuality
        var accept: ((StreamEndpoint) -> Void)?
        var receiveDatagram: ((_ bytes: [UInt8], _ source: String, _ arrival: HostTime) -> Void)?
        /// Endpoints of connections, in the order in which they were made.
        var endpoints: [StreamEndpoint] = []

        init(machine: VirtualMachine, quality: LinkQuality) {
            self.machine = machine
            self.quality = quality
        }
    }

    let loop: EventLoop
    var random: SimulationRandom
    private var attachments: [String: Attachment] = [:]
    /// Dials that were tried, for tests.
    public private(set) var dialCount = 0

    public init(loop: EventLoop, random: SimulationRandom) {
        self.loop = loop
        self.random = random
    }

    /// Connects a machine. Its name is its address.
    public func attach(_ machine: VirtualMachine, quality: LinkQuality) {
        attachments[machine.name] = Attachment(machine: machine, quality: quality)
    }

    /// From now on the machine's link is of this quality.
    public func setQuality(_ quality: LinkQuality, of machine: VirtualMachine) {
        attachments[machine.name]?.quality = quality
    }

    public func quality(of machine: VirtualMachine) -> LinkQuality? { attachments[machine.name]?.quality }

    /// Takes connections for a machine from now on.
    public func listen(on machine: VirtualMachine, _ accept: @escaping (StreamEndpoint) -> Void) {
        attachments[machine.name]?.accept = accept
    }

    public func stopListening(on machine: VirtualMachine) { attachments[machine.name]?.accept = nil }

    /// Ends a machine. `sayingGoodbye`: a process was killed and its kernel closes what was open; otherwise the power
    /// went, and nobody is told.
    public func kill(_ machine: VirtualMachine, sayingGoodbye: Bool) {
        if sayingGoodbye { attachments[machine.name]?.endpoints.forEach { $0.reset() } }
        attachments[machine.name]?.accept = nil
        machine.die()
    }

    // MARK: Connections

    /// Connects to the machine of this address. `completion` gets nil when it refuses, or does not answer in time.
    public func dial(
        from machine: VirtualMachine, to address: NetworkAddress, completion: @escaping (StreamEndpoint?) -> Void
    ) {
        dialCount += 1
        guard let source = attachments[machine.name] else { return }
        guard let target = attachments[address.host], target.machine.isAlive else {
            machine.after(PeeringLimits.dialTimeout) { completion(nil) }
            return
        }
        let there = delay(source, target)
        let back = delay(target, source)
        loop.after(there) { [self] in
            guard target.machine.isAlive, !target.machine.isSuspended else {
                return machine.after(PeeringLimits.dialTimeout) { completion(nil) }
            }
            guard target.accept != nil else { return machine.after(back) { completion(nil) } }
            connect(source, target, after: back, completion)
        }
    }

    private func connect(
        _ source: Attachment, _ target: Attachment, after back: TimeSpan,
        _ completion: @escaping (StreamEndpoint?) -> Void
    ) {
        let near = StreamEndpoint(network: self, own: source, peer: target)
        let far = StreamEndpoint(network: self, own: target, peer: source)
        near.partner = far
        far.partner = near
        source.endpoints.append(near)
        target.endpoints.append(far)
        source.machine.after(back) { completion(near) }
        target.machine.after(back + delay(source, target)) {
            guard let accept = target.accept else { return far.reset() }
            accept(far)
        }
    }

    func forget(_ endpoint: StreamEndpoint, of attachment: Attachment) {
        attachment.endpoints.removeAll { $0 === endpoint }
    }

    // MARK: Datagrams

    public func bindDatagrams(
        on machine: VirtualMachine,
        _ receive: @escaping (_ bytes: [UInt8], _ source: String, _ arrival: HostTime) -> Void
    ) {
        attachments[machine.name]?.receiveDatagram = receive
    }

    /// Sends a datagram. It may be lost, doubled, or overtaken.
    public func sendDatagram(_ bytes: [UInt8], from machine: VirtualMachine, to host: String) {
        guard let source = attachments[machine.name], let target = attachments[host] else { return }
        guard !random.chance(source.quality.datagramLoss), !random.chance(target.quality.datagramLoss) else { return }
        deliver(bytes, from: source, to: target)
        if random.chance(source.quality.datagramDuplication) { deliver(bytes, from: source, to: target) }
    }

    private func deliver(_ bytes: [UInt8], from source: Attachment, to target: Attachment) {
        var delay = delay(source, target)
        if source.quality.datagramHoldProbability > 0, random.chance(source.quality.datagramHoldProbability) {
            delay += random.span(.zero...source.quality.datagramHold)
        }
        loop.after(delay) {
            guard !target.machine.isSuspended else { return }
            // The kernel stamps what arrives even while the process does not run.
            let arrival = target.machine.now
            target.machine.after(.zero) { target.receiveDatagram?(bytes, source.machine.name, arrival) }
        }
    }

    func delay(_ source: Attachment, _ target: Attachment) -> TimeSpan {
        source.quality.outboundDelay + source.quality.delay(using: &random) + target.quality.delay(using: &random)
    }
}
