import Glibc

/// Who is called: an IPv4 address and a port.
public struct Callee {
    public let port: UInt16
    private var address = sockaddr_in()

    /// Reads `ADDRESS:PORT`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        self.port = port
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, String(parts[0]), &address.sin_addr) == 1 else { return nil }
    }

    /// - Parameter port: in place of its own.
    /// - Returns: false if the system refuses.
    public func connect(_ descriptor: Int32, port: UInt16? = nil) -> Bool {
        var address = address
        if let port { address.sin_port = port.bigEndian }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
