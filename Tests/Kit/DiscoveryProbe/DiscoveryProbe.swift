import AudioCore
import Glibc
import PeerDiscovery

/// A process that advertises and browses, for the tests of discovery on a real network.
///
///     discovery-probe [--name NAME] [--instance NUMBER] [--browse-only] [--advertise-only]
///
/// Every event is a line: `FOUND`, `CHANGED`, `LOST`, `SETTLED`, `ADVERTISED`, `NOT-ADVERTISED`, `AVAILABLE`,
/// `UNAVAILABLE`, then its details. Commands come as lines: `play TITLE`, `name NAME`, `withdraw`; the end of standard
/// input says goodbye and ends.
@main
enum DiscoveryProbe {
    static func main() {
        var record = PeerRecord(
            id: .random(), instance: UInt64(argument("--instance") ?? "") ?? 1, name: argument("--name") ?? "probe",
            roles: .listener, protocolVersion: 1)
        let isSilent = CommandLine.arguments.contains("--browse-only")
        let discovery = PeerDiscovery(
            browses: !CommandLine.arguments.contains("--advertise-only"),
            advertisement: isSilent ? nil : PeerAdvertisement(record: record, port: 4711)
        ) { say(line($0)) }
        while let command = readLine() {
            let words = command.split(separator: " ", maxSplits: 1).map(String.init)
            switch words.first {
            case "play":
                record.playing = words.last ?? ""
                record.activity = .playing
            case "name": record.name = words.last ?? ""
            default:
                discovery.advertise(nil)
                continue
            }
            discovery.advertise(PeerAdvertisement(record: record, port: 4711))
        }
        discovery.stop()
        say("STOPPED")
    }

    // Unbuffered: whoever reads a pipe wants it now.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func argument(_ name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments[($0 + 1)...].first }
    }

    private static func line(_ event: PeerDiscoveryEvent) -> String {
        switch event {
        case .found(let peer): "FOUND \(text(peer))"
        case .changed(let peer): "CHANGED \(text(peer))"
        case .lost(let instance): "LOST \(instance)"
        case .settled: "SETTLED"
        case .advertised(let name): "ADVERTISED \(name)"
        case .notAdvertised(let reason): "NOT-ADVERTISED \(reason)"
        case .available: "AVAILABLE"
        case .unavailable(let failure): "UNAVAILABLE \(failure)"
        }
    }

    private static func text(_ peer: DiscoveredPeer) -> String {
        "\(peer.record.instance) [\(peer.serviceName)] playing=[\(peer.record.playing)] host=\(peer.hostName) "
            + "port=\(peer.port) addresses=\(peer.addresses.map(\.description).joined(separator: ","))"
    }
}
