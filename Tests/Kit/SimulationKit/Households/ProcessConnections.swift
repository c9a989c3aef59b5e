import NIOCore
import Peering
import SecureChannel

/// Whose connections they are.
protocol ProcessConnectionsDelegate: AnyObject {
    /// Returns what this process says first of all to whoever has shown a key.
    func introduction(_ id: ConnectionID, to key: PeerKey, over binding: ChannelBinding) -> [UInt8]
    func didOpen(_ id: ConnectionID, address: String, dial: Dialer.Dial?)
    func didFail(_ dial: Dialer.Dial, _ failure: DialFailure)
    /// The other side has shown its key, and introduced itself.
    func didIntroduce(_ id: ConnectionID, _ key: PeerKey, _ binding: ChannelBinding, _ introduction: [UInt8])
    func didReceive(_ id: ConnectionID, _ bytes: ByteBuffer)
    /// - Parameter byteCount: of messages that the kernel took.
    func didWrite(_ id: ConnectionID, byteCount: Int)
    func didClose(_ id: ConnectionID)
}

extension ProcessConnectionsDelegate {
    func introduction(_ id: ConnectionID, to key: PeerKey, over binding: ChannelBinding) -> [UInt8] { [] }

    func didFail(_ dial: Dialer.Dial, _ failure: DialFailure) {}

    func didWrite(_ id: ConnectionID, byteCount: Int) {}
}

/// The connections of a process that runs beside its machine's listener or broadcaster and is soon over: what the
/// runtime's network is to a real one.
final class ProcessConnections {
    let machine: VirtualMachine
    weak var delegate: (any ProcessConnectionsDelegate)?
    /// Told how many messages were written, with each.
    var onMessage: (Int) -> Void = { _ in }
    /// Nothing comes or goes any more, but for what was on its way.
    private(set) var isOver = false

    private let network: VirtualNetwork
    private let key: PeerKey
    private var connections: [ConnectionID: Connection] = [:]
    private var nextConnection = 0
    private var messageCount = 0
    private var port: UInt16?

    private struct Connection {
        let endpoint: StreamEndpoint
        let channel: VirtualChannel
        var binding: ChannelBinding?
    }

    init(machine: VirtualMachine, network: VirtualNetwork, key: PeerKey) {
        self.machine = machine
        self.network = network
        self.key = key
    }

    func listen(on port: UInt16) {
        self.port = port
        network.listen(on: machine, port: port) { [weak self] endpoint in
            guard let self else { return endpoint.reset() }
            opened(endpoint, dial: nil)
        }
    }

    func dial(_ dial: Dialer.Dial) {
        network.dial(from: machine, to: dial.address) { [weak self] result in
            switch result {
            case .success(let endpoint):
                guard let self else { return endpoint.reset() }
                opened(endpoint, dial: dial)
            case .failure(let failure):
                guard let self, !isOver else { return }
                delegate?.didFail(dial, failure)
            }
        }
    }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        guard !isOver, let connection = connections[id] else { return }
        messageCount += 1
        connection.channel.write(bytes)
        onMessage(messageCount)
    }

    func close(_ id: ConnectionID) { connections[id]?.channel.close() }

    /// Ends all, after what was written.
    func end() {
        for connection in stop() { connection.channel.close() }
    }

    /// Ends all at once, as a kernel does for a process that was killed.
    func kill() {
        for connection in stop() { connection.endpoint.reset() }
    }

    /// - Returns: what is still to be closed, in the order in which it was opened.
    private func stop() -> [Connection] {
        guard !isOver else { return [] }
        isOver = true
        // A machine without power says nothing, and once it was started anew the port is another's.
        guard machine.isAlive else { return [] }
        if let port { network.stopListening(on: machine, port: port) }
        return connections.sorted { $0.key.number < $1.key.number }.map(\.value)
    }

    // MARK: What happens to them

    private func opened(_ endpoint: StreamEndpoint, dial: Dialer.Dial?) {
        guard !isOver else { return endpoint.reset() }
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        let channel = VirtualChannel(
            endpoint, isDialer: dial != nil, key: key,
            introduce: { [weak self] key, binding in self?.introduction(id, to: key, over: binding) ?? [] },
            introduced: { [weak self] key, introduction in self?.introduced(id, key, introduction) })
        connections[id] = Connection(endpoint: endpoint, channel: channel)
        endpoint.begin(
            received: { [weak self] bytes in self?.received(bytes, from: id) },
            wrote: { [weak self] byteCount in self?.wrote(byteCount, to: id) },
            closed: { [weak self] in self?.closed(id) })
        channel.start()
        delegate?.didOpen(id, address: endpoint.peerName, dial: dial)
    }

    private func introduction(_ id: ConnectionID, to key: PeerKey, over binding: ChannelBinding) -> [UInt8] {
        connections[id]?.binding = binding
        return delegate?.introduction(id, to: key, over: binding) ?? []
    }

    private func introduced(_ id: ConnectionID, _ key: PeerKey, _ introduction: [UInt8]) {
        guard !isOver, let binding = connections[id]?.binding else { return }
        delegate?.didIntroduce(id, key, binding, introduction)
    }

    /// What is closed after a handshake still has to make that.
    private func received(_ bytes: ByteBuffer, from id: ConnectionID) {
        guard let channel = connections[id]?.channel, let messages = channel.receive(bytes), !isOver else { return }
        delegate?.didReceive(id, messages)
    }

    private func wrote(_ byteCount: Int, to id: ConnectionID) {
        guard let channel = connections[id]?.channel else { return }
        let count = channel.wrote(byteCount)
        guard count > 0, !isOver else { return }
        delegate?.didWrite(id, byteCount: count)
    }

    private func closed(_ id: ConnectionID) {
        guard connections.removeValue(forKey: id) != nil, !isOver else { return }
        delegate?.didClose(id)
    }
}
