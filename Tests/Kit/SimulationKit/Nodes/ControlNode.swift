import AudioCore
import NIOCore
import Peering
import WireProtocol

/// A machine that commands a broadcast and follows it.
public final class ControlNode {
    public let machine: VirtualMachine
    private let network: VirtualNetwork
    private let greeting: Greeting
    public var name: String { greeting.name }
    private var endpoint: StreamEndpoint?
    private var connection: PeerConnection?
    /// What it was sent, as it makes it of state and changes; nil before the first.
    public private(set) var state: ProgrammeState?
    /// Commands that it was told of.
    public private(set) var log: [LogEntry] = []
    /// What it asked for, in order, and what became of each.
    public private(set) var asked: [Command] = []
    public private(set) var outcomes: [CommandID: [CommandOutcome]] = [:]
    /// How long each of them was waited for the first time, by those that have an outcome.
    public private(set) var waits: [CommandID: TimeSpan] = [:]
    /// Pages of the queue that it asked for.
    public private(set) var pages: [QueuePage] = []
    private var address: NetworkAddress?
    private var askedAt: [CommandID: TrueTime] = [:]
    /// Counts connections.
    private var attempt = 0
    /// Changes that did not follow on the one before.
    public private(set) var gapCount = 0

    init(machine: VirtualMachine, network: VirtualNetwork, greeting: Greeting) {
        self.machine = machine
        self.network = network
        self.greeting = greeting
    }

    /// Connects and follows.
    func start(_ address: NetworkAddress) {
        self.address = address
        attempt += 1
        let attempt = attempt
        network.dial(from: machine, to: address) { [unowned self] result in
            guard case .success(let endpoint) = result, attempt == self.attempt else { return }
            self.endpoint = endpoint
            connection = PeerConnection(direction: .dialed, address: address.host, now: machine.now)
            endpoint.begin(
                received: { [unowned self] in if attempt == self.attempt { receive($0) } }, wrote: { _ in },
                closed: { [unowned self] in if attempt == self.attempt { self.endpoint = nil } })
            endpoint.write(WireEncoder.greeting(greeting))
            endpoint.write(WireEncoder.follow())
            // What has no outcome may have come there, or not.
            for command in asked where outcomes[command.id] == nil { endpoint.write(WireEncoder.command(command)) }
            keepAlive(attempt)
        }
    }

    /// Its connection breaks, and it connects anew.
    public func reconnect() {
        guard let address else { return }
        endpoint?.reset()
        endpoint = nil
        state = nil
        start(address)
    }

    private func keepAlive(_ attempt: Int) {
        machine.after(.milliseconds(500)) { [unowned self] in
            guard attempt == self.attempt else { return }
            endpoint?.write(WireEncoder.keepAlive())
            keepAlive(attempt)
        }
    }

    /// Asks for a page of the queue.
    public func askForQueue() { endpoint?.write(WireEncoder.queuePageRequest(QueuePageRequest(first: 0))) }

    /// Asks for something; asks the same again if `twice`.
    public func ask(_ operation: CommandOperation, id: CommandID, twice: Bool = false) {
        let command = Command(id: id, operation)
        asked.append(command)
        askedAt[id] = machine.loop.now
        endpoint?.write(WireEncoder.command(command))
        if twice { endpoint?.write(WireEncoder.command(command)) }
    }

    private func receive(_ bytes: ByteBuffer) {
        guard let events = try? connection?.receive(bytes, now: machine.now) else { return }
        for case .message(let message) in events {
            switch message {
            case .outcome(let outcome): note(outcome)
            case .queuePage(let page): pages.append(page)
            case .programmeState(let state): self.state = state
            case .programmeChange(let change):
                if case .command(let entry) = change.kind { log.append(entry) }
                if state?.apply(change) != true { gapCount += 1 }
            default: break
            }
        }
    }

    private func note(_ outcome: CommandOutcome) {
        if outcomes[outcome.id] == nil, let asked = askedAt[outcome.id] {
            waits[outcome.id] = machine.loop.now - asked
        }
        outcomes[outcome.id, default: []].append(outcome)
    }
}
