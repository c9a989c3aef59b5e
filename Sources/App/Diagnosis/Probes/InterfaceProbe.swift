import AudioCore
import Glibc
import HostSystem

extension NetworkFacts {
    /// What the kernel says of the interfaces, and what becomes of multicast on each.
    static func look() -> NetworkFacts {
        var interfaces = listInterfaces()
        let able = interfaces.indices.filter { interfaces[$0].mayMulticast }
        let echoes = SideBySide.look(
            at: able.map { interfaces[$0].index }, atOnce: echoLimit, by: .now() + echoPatience, "doctor echo"
        ) { MulticastProbe.echo(on: $0) }
        for (index, echo) in zip(able, echoes) { interfaces[index].multicast = echo }
        return NetworkFacts(interfaces: interfaces, anyRoute: MulticastProbe.plainSend())
    }

    private static let interfaceLimit = 256
    /// Bridges of containers answer nothing, and there may be many.
    private static let echoLimit = 16
    private static let echoPatience = TimeSpan.milliseconds(1_500)

    private static func listInterfaces() -> [Interface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [Interface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let name = entry.ifa_name.map({ String(cString: $0) }), found.count < interfaceLimit else { continue }
            let place =
                found.firstIndex { $0.systemName == name }
                ?? {
                    found.append(
                        Interface(systemName: name, index: if_nametoindex(name), flags: UInt32(entry.ifa_flags)))
                    return found.count - 1
                }()
            guard let address = entry.ifa_addr, let text = numericHost(address) else { continue }
            found[place].addresses.append(text)
        }
        return found
    }

    /// An IPv4 or IPv6 address as text, without scope; nil for any other.
    private static func numericHost(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let family = Int32(address.pointee.sa_family)
        let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        guard family == AF_INET || family == AF_INET6 else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return host.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
            .map { String($0.prefix { $0 != "%" }) }
    }
}
