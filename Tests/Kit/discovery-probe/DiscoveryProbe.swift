import AudioCore
import Discovery
import Glibc

/// A process that advertises and browses, for the tests of discovery on a real network.
///
///     discovery-probe [--name NAME] [--instance NUMBER] [--browse-only] [--advertise-only] [--page PORT [--secure]]
///
/// Every event is a line: `FOUND`, `CHANGED`, `LOST`, `SETTLED`, `ADVERTISED`, `NOT-ADVERTISED`, `PAGE`,
/// `PAGE-NOT-ADVERTISED`, `AVAILABLE`, `UNAVAILABLE`, then its details; of what is found also how many milliseconds
/// after it began to look. SIGUSR1 moves the page to the next port, SIGUSR2 withdraws it, SIGTERM ends all with a
/// goodbye.
@main
enum DiscoveryProbe {
    static func main() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGUSR1, SIGUSR2] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        let name = argument("--name") ?? "probe"
        let record = PeerRecord(
            id: .random(), instance: UInt64(argument("--instance") ?? "") ?? 1, name: name,
            roles: .listener, protocolVersion: 1)
        let isSilent = CommandLine.arguments.contains("--browse-only")
        let began = ContinuousClock.now
        let discovery = PeerDiscovery(
            browses: !CommandLine.arguments.contains("--advertise-only"),
            advertisement: isSilent ? nil : PeerAdvertisement(record: record, port: 4711)
        ) { say(line($0, after: ContinuousClock.now - began)) }
        let isSecure = CommandLine.arguments.contains("--secure")
        var page = argument("--page").flatMap { UInt16($0) }.map {
            PageAdvertisement(name: name, port: $0, isSecure: isSecure)
        }
        discovery.advertise(page: page)
        var number: Int32 = 0
        while sigwait(&signals, &number) == 0, number != SIGTERM {
            page = number == SIGUSR1 ? page : nil
            page?.port += 1
            discovery.advertise(page: page)
        }
        discovery.stop()
        say("STOPPED")
    }

    // Unbuffered: whoever reads wants it now.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func argument(_ name: String) -> String? {
        CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments[($0 + 1)...].first }
    }

    private static func line(_ event: PeerDiscoveryEvent, after span: Duration) -> String {
        switch event {
        case .found(let peer): "FOUND \(text(peer)) after=\(span / Duration.milliseconds(1))"
        case .changed(let peer): "CHANGED \(text(peer))"
        case .lost(let service): "LOST \(service.instance) [\(service.name)]"
        case .settled: "SETTLED"
        case .advertised(let name): "ADVERTISED \(name)"
        case .notAdvertised(let reason): "NOT-ADVERTISED \(reason)"
        case .pageAdvertised(let name): "PAGE \(name)"
        case .pageNotAdvertised(let reason): "PAGE-NOT-ADVERTISED \(reason)"
        case .available: "AVAILABLE"
        case .unavailable(let failure): "UNAVAILABLE \(failure)"
        }
    }

    private static func text(_ peer: DiscoveredPeer) -> String {
        "\(peer.record.instance) [\(peer.serviceName)] host=\(peer.hostName) "
            + "port=\(peer.port) addresses=\(peer.addresses.map(\.description).joined(separator: ","))"
    }
}
