import Glibc

/// A local socket that receives datagrams, in the place of a service manager or a journal.
public final class DatagramReceiver: Sendable {
    private let descriptor: Int32

    /// - Parameter address: a path or, with `@` in front, a name in Linux's abstract namespace (unix(7)).
    public init(_ address: String) throws(Tool.Failure) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var bytes = Array(address.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var local = sockaddr_un()
        local.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &local.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = withUnsafePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw Tool.Failure(description: "cannot receive at \(address)") }
    }

    deinit { close(descriptor) }

    /// Returns the next datagram; nil if none comes in time.
    public func receive(withinMilliseconds milliseconds: Int32 = 10_000) -> [UInt8]? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Returns the next datagram as text.
    public func receiveText(withinMilliseconds milliseconds: Int32 = 10_000) -> String? {
        receive(withinMilliseconds: milliseconds).map { String(decoding: $0, as: UTF8.self) }
    }
}
