import AudioCore
import NIOCore
import Peering
import SecureChannel

/// A stranger's machine that takes as many connections of another as it gets, and says nothing that is of use.
public final class FloodNode {
    public enum Manner: CaseIterable, Sendable {
        /// Connects, and that is all.
        case silent
        /// Proves its key and introduces itself, and says nothing more.
        case introduced
    }

    public let machine: VirtualMachine
    /// Most bytes that came over one connection: somebody that is fed gets many.
    public private(set) var mostReceived = 0
    /// Connections that were made.
    public private(set) var connectionCount = 0
    private let network: VirtualNetwork
    private let key: PeerKey?
    private let manner: Manner
    private var connections: [Int: Connection] = [:]
    /// Counts floods; dials of an older one are void.
    private var flood = 0

    private struct Connection {
        let endpoint: StreamEndpoint
        let channel: VirtualChannel?
        var receivedByteCount = 0
    }

    /// From the end of a connection to the next dial.
    private static let pause = TimeSpan.milliseconds(200)

    init(machine: VirtualMachine, network: VirtualNetwork, key: PeerKey?, manner: Manner) {
        self.machine = machine
        self.network = network
        self.key = key
        self.manner = manner
    }

    /// Holds so many connections with another machine, as far as it lets it.
    public func begin(_ host: String, connections count: Int) {
        end()
        for _ in 0..<count { dial(NetworkAddress(host: host), flood) }
    }

    /// Lets go of all.
    public func end() {
        flood += 1
        let open = connections.sorted { $0.key < $1.key }
        connections = [:]
        for (_, connection) in open { connection.endpoint.reset() }
    }

    private func dial(_ address: NetworkAddress, _ flood: Int) {
        guard flood == self.flood else { return }
        network.dial(from: machine, to: address) { [weak self] result in
            guard let self else { return }
            guard case .success(let endpoint) = result else { return dialAgain(address, flood) }
            guard flood == self.flood else { return endpoint.reset() }
            hold(endpoint, address, flood)
        }
    }

    private func dialAgain(_ address: NetworkAddress, _ flood: Int) {
        machine.after(Self.pause) { [weak self] in self?.dial(address, flood) }
    }

    private func hold(_ endpoint: StreamEndpoint, _ address: NetworkAddress, _ flood: Int) {
        connectionCount += 1
        let number = connectionCount
        connections[number] = Connection(endpoint: endpoint, channel: channel(endpoint))
        endpoint.begin(
            received: { [weak self] in self?.receive($0, from: number) }, wrote: { _ in },
            closed: { [weak self] in
                self?.connections[number] = nil
                self?.dialAgain(address, flood)
            })
        connections[number]?.channel?.start()
    }

    private func channel(_ endpoint: StreamEndpoint) -> VirtualChannel? {
        guard manner == .introduced, let key else { return nil }
        return VirtualChannel(
            endpoint, isDialer: true, key: key, introduce: { _, _ in Array(repeating: 0, count: 64) },
            introduced: { _, _ in })
    }

    private func receive(_ bytes: ByteBuffer, from number: Int) {
        guard let connection = connections[number] else { return }
        connections[number]?.receivedByteCount += bytes.readableBytes
        mostReceived = max(mostReceived, connection.receivedByteCount + bytes.readableBytes)
        _ = connection.channel?.receive(bytes)
    }
}
