import AudioCore
import NIOCore
import Peering

/// Everything between the machines: connections like TCP's, datagrams like UDP's.
///
/// What happens on it depends on the seed alone. A machine that is dead answers nothing; one that runs and does not
/// listen refuses. A machine that is attached under the name of one that died is that one, started anew.
public final class VirtualNetwork {
    /// A machine's place on the network.
    final class Attachment {
        let machine: VirtualMachine
        var quality: LinkQuality
        var reading = ReadingPace()
        /// Until then its kernel knows that it has no network.
        var linkDownUntil = TrueTime.start
        /// Who takes connections, by port.
        var accepts: [UInt16: (StreamEndpoint) -> Void] = [:]
        var receiveDatagram: ((_ bytes: [UInt8], _ source: String, _ arrival: HostTime) -> Void)?
        /// Endpoints of connections, in the order in which they were made.
        var endpoints: [StreamEndpoint] = []

        init(machine: VirtualMachine, quality: LinkQuality) {
            self.machine = machine
            self.quality = quality
        }

        /// Forgets its connections and whoever waits for something.
        func letGo() {
            endpoints.forEach { $0.letGo() }
            endpoints = []
            (accepts, receiveDatagram) = ([:], nil)
        }
    }

    let loop: EventLoop
    var random: SimulationRandom
    private var attachments: [String: Attachment] = [:]
    /// What is not carried now, in the order in which it began.
    var cuts: [(number: Int, cut: NetworkCut)] = []
    var nextCut = 0
    /// Told when a cut is over, and when a machine sees that it has no network.
    var onMend: (() -> Void)?
    var onLinkDown: ((VirtualMachine) -> Void)?
    /// Dials that leave before go together then.
    private var dialsGatheredUntil = TrueTime.start
    private var nextConnection: UInt64 = 0
    /// Dials that were tried, for tests.
    public private(set) var dialCount = 0

    public init(loop: EventLoop, random: SimulationRandom) {
        self.loop = loop
        self.random = random
    }

    /// Connects a machine. Its name is its address.
    public func attach(_ machine: VirtualMachine, quality: LinkQuality) {
        attachments[machine.name]?.letGo()
        attachments[machine.name] = Attachment(machine: machine, quality: quality)
    }

    /// Ends everything, without a word: connections and their machines hold each other.
    func letGo() { attachments.values.forEach { $0.letGo() } }

    /// From now on the machine's link is of this quality.
    public func setQuality(_ quality: LinkQuality, of machine: VirtualMachine) {
        guard let attachment = attachments[machine.name] else { return }
        let isOtherRate = attachment.quality.bytesPerSecond != quality.bytesPerSecond
        attachment.quality = quality
        guard isOtherRate else { return }
        for endpoint in attachment.endpoints {
            endpoint.changePace()
            endpoint.partner?.changePace()
        }
    }

    func attachment(of machine: VirtualMachine) -> Attachment? { attachments[machine.name] }

    /// Whether the machine, or what it was started anew as, runs.
    func isThere(_ attachment: Attachment) -> Bool {
        attachments[attachment.machine.name].map { $0.machine.isAlive && !$0.machine.isSuspended } ?? false
    }

    /// Connections that this machine's kernel holds.
    public func connectionCount(of machine: VirtualMachine) -> Int { attachments[machine.name]?.endpoints.count ?? 0 }

    public func quality(of machine: VirtualMachine) -> LinkQuality? { attachments[machine.name]?.quality }

    /// Takes connections for a machine from now on.
    public func listen(
        on machine: VirtualMachine, port: UInt16 = NetworkAddress.defaultPort,
        _ accept: @escaping (StreamEndpoint) -> Void
    ) {
        attachments[machine.name]?.accepts[port] = accept
    }

    public func stopListening(on machine: VirtualMachine, port: UInt16 = NetworkAddress.defaultPort) {
        attachments[machine.name]?.accepts[port] = nil
    }

    /// Ends a machine. `sayingGoodbye`: a process was killed and its kernel closes what was open; otherwise the power
    /// went, and nobody is told.
    public func kill(_ machine: VirtualMachine, sayingGoodbye: Bool) {
        if sayingGoodbye { attachments[machine.name]?.endpoints.forEach { $0.reset() } }
        attachments[machine.name]?.accepts = [:]
        machine.die()
    }

    // MARK: Connections

    public typealias DialCompletion = (Result<StreamEndpoint, DialFailure>) -> Void

    /// Connects to the machine of this address.
    public func dial(
        from machine: VirtualMachine, to address: NetworkAddress, completion: @escaping DialCompletion
    ) {
        dialCount += 1
        guard let source = attachments[machine.name] else { return }
        guard loop.now >= source.linkDownUntil else {
            return machine.after(.zero) { completion(.failure(.unreachable)) }
        }
        guard loop.now >= dialsGatheredUntil else {
            loop.at(dialsGatheredUntil) { [self] in call(source, address, completion) }
            return
        }
        call(source, address, completion)
    }

    /// Dials that leave within this span leave at its end, all at once: calls of both sides cross.
    public func gatherDials(for span: TimeSpan) { dialsGatheredUntil = loop.now + min(span, PeeringLimits.dialTimeout) }

    private func call(
        _ source: Attachment, _ address: NetworkAddress, _ completion: @escaping DialCompletion
    ) {
        let machine = source.machine
        // A kernel asks again after a second at the earliest, when nobody waits any more (RFC 6298 section 2.1).
        let giveUp = { machine.after(PeeringLimits.dialTimeout) { completion(.failure(.unanswered)) } }
        guard let target = attachments[address.host], target.machine.isAlive else { return giveUp() }
        let there = delay(source, target)
        let back = delay(target, source)
        loop.after(there) { [self] in
            guard target.machine.isAlive, !target.machine.isSuspended, !isCut(source, target), !isCut(target, source)
            else { return giveUp() }
            guard target.accepts[address.port] != nil else {
                return machine.after(back) { completion(.failure(.refused)) }
            }
            connect(source, target, address.port, after: back, completion)
        }
    }

    private func connect(
        _ source: Attachment, _ target: Attachment, _ port: UInt16, after back: TimeSpan,
        _ completion: @escaping DialCompletion
    ) {
        nextConnection += 1
        let near = StreamEndpoint(number: nextConnection, network: self, own: source, peer: target)
        let far = StreamEndpoint(number: nextConnection, network: self, own: target, peer: source)
        near.partner = far
        far.partner = near
        source.endpoints.append(near)
        target.endpoints.append(far)
        source.machine.after(back) { completion(.success(near)) }
        target.machine.after(back + delay(source, target)) {
            guard let accept = target.accepts[port] else { return far.reset() }
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
        guard !isCut(source, target) else { return }
        deliver(bytes, from: source, to: target)
        if random.chance(source.quality.datagramDuplication) { deliver(bytes, from: source, to: target) }
    }

    private func deliver(_ bytes: [UInt8], from source: Attachment, to target: Attachment) {
        var delay = delay(source, target)
        if source.quality.datagramHoldProbability > 0, random.chance(source.quality.datagramHoldProbability) {
            delay += random.span(.zero...source.quality.datagramHold)
        }
        loop.after(delay) { [self] in
            guard !target.machine.isSuspended, !isCut(source, target) else { return }
            // The kernel stamps what arrives even while the process does not run.
            let arrival = target.machine.now
            target.machine.after(.zero) { target.receiveDatagram?(bytes, source.machine.name, arrival) }
        }
    }

    func delay(_ source: Attachment, _ target: Attachment) -> TimeSpan {
        source.quality.outboundDelay + source.quality.delay(using: &random) + target.quality.delay(using: &random)
    }
}
