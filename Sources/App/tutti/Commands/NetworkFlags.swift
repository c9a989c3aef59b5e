import Glibc
import Peering
import TuttiRuntime

/// The flags that become ``NetworkOptions``.
enum NetworkFlags {
    static let port = CommandSyntax.Option.value(
        "--port", "N",
        "TCP and UDP port to listen on. Default \(NetworkAddress.defaultPort), or any free one if that is taken.")
    static let noMDNS = CommandSyntax.Option.flag(
        "--no-mdns", "Neither advertise nor search by mDNS; connect by address only.")
    static let localGroup = CommandSyntax.Option.value(
        "--local-group", "GROUP", candidates: .groups,
        "Let this machine's users of this group command it, too, by sockets in \(LocalSocketDirectory.sharedPath). Without "
            + "it, only the user that started it may, and root.")
    static let options = [port, noMDNS, localGroup]

    static func parse(_ arguments: CommandArguments) throws(UsageError) -> NetworkOptions {
        var network = NetworkOptions()
        network.port = try arguments.integer(port, in: 1...65_535).map { UInt16($0) }
        network.usesDiscovery = !arguments.has(noMDNS)
        network.access = try AccessFlags.parse(arguments)
        network.localSockets = [.standard]
        if let name = arguments.value(of: localGroup) {
            guard let group = getgrnam(name)?.pointee.gr_gid else {
                throw UsageError(valueOf: localGroup.name, "there is no group '\(name)' on this machine")
            }
            // A service of the system has no other directory of its own.
            network.localSockets.removeAll { $0.path == LocalSocketDirectory.sharedPath }
            network.localSockets.append(
                LocalSocketDirectory(path: LocalSocketDirectory.sharedPath, audience: .group(group)))
        }
        return network
    }
}
