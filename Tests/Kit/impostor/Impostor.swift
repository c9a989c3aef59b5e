import AudioCore
import Discovery
import Glibc
import NIOCore
import PeerSocketKit
import SecureChannel
import WireProtocol

/// A peer with a key of its own that says it is another's process: by mDNS under a name of its own, and in its greeting
/// to whom it calls.
///
///     impostor --name NAME --instance HEX --role listener|broadcaster --call ADDRESS:PORT
///
/// It calls again whenever it is turned away, and says that it lives as often as a peer must. A line says what
/// happened: `ADVERTISED NAME`, `CALLED`, `TURNED-AWAY`, and `FED` once it was sent more than a greeting and
/// keep-alives.
@main
enum Impostor {
    static func main() {
        let roles: PeerRoles = argument("--role") == "broadcaster" ? .broadcaster : .listener
        guard let name = argument("--name"), let instance = argument("--instance").flatMap({ UInt64($0, radix: 16) }),
            let callee = argument("--call").flatMap(Callee.init)
        else {
            say("impostor --name NAME --instance HEX --role listener|broadcaster --call ADDRESS:PORT")
            exit(64)
        }
        let keys = PeerKeyPair.random()
        let record = PeerRecord(
            id: keys.key.uuid, instance: instance, name: name, roles: roles, protocolVersion: UInt32(Preamble.version),
            startedUnixMilliseconds: roles == .broadcaster ? 1 : nil)
        let discovery = PeerDiscovery(
            browses: false, advertisement: PeerAdvertisement(record: record, port: callee.port)
        ) { event in
            if case .advertised(let name) = event { say("ADVERTISED \(name)") }
        }
        let greeting = Greeting(
            roles: roles, peer: record.id, instance: instance, started: 1, name: name,
            codecs: [.mpegLayer3, .linearPCM])
        withExtendedLifetime(discovery) {
            while true {
                call(callee, keys, WireEncoder.greeting(greeting))
                usleep(300_000)
            }
        }
    }

    /// Calls, and stays for as long as it is let.
    private static func call(_ callee: Callee, _ keys: PeerKeyPair, _ greeting: ByteBuffer) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        guard callee.connect(descriptor), var socket = PeerSocket(descriptor, keys: keys), socket.send(greeting) else {
            return
        }
        say("CALLED")
        var heard = 0
        while true {
            guard let count = socket.receive(within: 200)?.readableBytes, socket.send(WireEncoder.keepAlive()) else {
                return say("TURNED-AWAY")
            }
            if heard <= fedByteCount, heard + count > fedByteCount { say("FED") }
            heard += count
        }
    }

    /// A broadcast's packets are more than that within a second, all else is less within a minute.
    private static let fedByteCount = 8_192

    // Unbuffered: whoever reads wants it now.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func argument(_ name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments[($0 + 1)...].first }
    }
}
