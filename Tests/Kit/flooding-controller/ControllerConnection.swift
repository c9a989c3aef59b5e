import AudioCore
import Glibc
import NIOCore
import PeerSocketKit
import SecureChannel
import WireProtocol

/// A connection to a broadcaster on this machine, as a controller's.
final class ControllerConnection {
    /// How many commands had which outcome.
    struct Outcomes: WireSink {
        private(set) var done = 0
        private(set) var refused = 0
        private(set) var excess = 0

        var count: Int { done + refused + excess }

        mutating func wireDidParse(_ message: ControlMessage) {
            guard case .outcome(let outcome) = message else { return }
            switch outcome.verdict {
            case .done: done += 1
            case .refused(.tooManyCommands): excess += 1
            case .refused: refused += 1
            }
        }

        mutating func streamDidParse(property: AudioStreamProperty) {}
        mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
    }

    private(set) var outcomes = Outcomes()
    private let descriptor: Int32
    private var socket: PeerSocket?
    private var parser = WireParser()

    /// Connects and greets; nil where nobody listens.
    init?(port: UInt16) {
        descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let keys = PeerKeyPair.random()
        guard isConnected else { return nil }
        socket = PeerSocket(descriptor, keys: keys)
        let greeting = Greeting(
            roles: .controller, peer: keys.key.uuid, instance: .random(in: 1 ... .max), started: 0, name: "flood")
        guard send(WireEncoder.greeting(greeting)) else { return nil }
    }

    deinit { close(descriptor) }

    /// - Returns: false if the connection broke.
    func send(_ bytes: ByteBuffer) -> Bool { socket?.send(bytes) ?? false }

    /// Reads what comes within a time, or once more than can be read at once has.
    /// - Returns: false if the connection broke.
    func receive(for span: TimeSpan) -> Bool {
        guard let bytes = socket?.receive(within: Int32(span.nanoseconds / 1_000_000)) else { return false }
        do throws(WireError) {
            try parser.parse(bytes, into: &outcomes)
            return true
        } catch {
            return false
        }
    }
}
