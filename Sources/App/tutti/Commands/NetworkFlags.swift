import Peering
import TuttiRuntime

/// The flags that become ``NetworkOptions``.
enum NetworkFlags {
    static let port = CommandSyntax.Option.value(
        "--port", "N",
        "TCP and UDP port to listen on. Default \(NetworkAddress.defaultPort), or any free one if that is taken.")
    static let noMDNS = CommandSyntax.Option.flag(
        "--no-mdns", "Neither advertise nor search by mDNS; connect by address only.")
    static let options = [port, noMDNS]

    static func parse(_ arguments: CommandArguments) throws(UsageError) -> NetworkOptions {
        var network = NetworkOptions()
        network.port = try arguments.integer(port, in: 1...65_535).map { UInt16($0) }
        network.usesDiscovery = !arguments.has(noMDNS)
        network.localSockets = .standard
        return network
    }
}
