import AudioCore
import NIOCore
import Peering
import WireProtocol

/// A machine that commands a broadcast and follows it.
public final class ControlNode {
    public let machine: VirtualMachine
    private let network: VirtualNetwork
    private let greeting: Greeting
    private var endpoint: StreamEndpoint?
    private var connection: PeerConnection?
    /// What it was sent, as it makes it of state and changes; nil before the first.
    public private(set) var state: ProgrammeState?
    /// Commands that it was told of.
    public private(set) var log: [LogEntry] = []
    /// What it asked for, in order, and what became of each.
    public private(set) var asked: [Command] = []
    public private(set) var outcomes: [CommandID: [CommandOutcome]] = [:]
    /// Changes that did not follow on the one before.
    public private(set) var gapCount = 0

    init(machine: VirtualMachine, network: VirtualNetwork, greeting: Greeting) {
        self.machine = machine
        self.network = network
        self.greeting = greeting
    }

    /// Connects and follows.
    func start(_ address: NetworkAddress) {
        network.dial(from: machine, to: address) { [unowned self] result in
            guard case .success(let endpoint) = result else { return }
            self.endpoint = endpoint
            connection = PeerConnection(direction: .dialed, address: address.host, now: machine.now)
            endpoint.begin(
                received: { [unowned self] in receive($0) }, wrote: { _ in },
                closed: { [unowned self] in self.endpoint = nil })
            endpoint.write(WireEncoder.opening(greeting))
            endpoint.write(WireEncoder.follow())
            keepAlive()
        }
    }

    private func keepAlive() {
        machine.after(.milliseconds(500)) { [unowned self] in
            endpoint?.write(WireEncoder.keepAlive())
            keepAlive()
        }
    }

    /// Asks for something; asks the same again if `twice`.
    public func ask(_ operation: CommandOperation, id: CommandID, twice: Bool = false) {
        let command = Command(id: id, operation)
        asked.append(command)
        endpoint?.write(WireEncoder.command(command))
        if twice { endpoint?.write(WireEncoder.command(command)) }
    }

    private func receive(_ bytes: ByteBuffer) {
        guard let events = try? connection?.receive(bytes, now: machine.now) else { return }
        for case .message(let message) in events {
            switch message {
            case .outcome(let outcome): outcomes[outcome.id, default: []].append(outcome)
            case .programmeState(let state): self.state = state
            case .programmeChange(let change):
                if case .command(let entry) = change.kind { log.append(entry) }
                if state?.apply(change) != true { gapCount += 1 }
            default: break
            }
        }
    }
}
