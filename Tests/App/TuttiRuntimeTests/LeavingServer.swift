import Glibc
import HostSystem

/// A server on the loopback interface that hears a dialler's preamble and first message, says some bytes, and ends the
/// connection; again and again.
final class LeavingServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let thread: HostThread

    /// A preamble, and a message of 32 bytes with its length.
    private static let openingByteCount = 8 + 2 + 32

    init?(saying bytes: [UInt8]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.listen(descriptor) else {
            close(descriptor)
            return nil
        }
        self.port = port
        self.descriptor = descriptor
        thread = try HostThread(name: "leaving") {
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                // What is unread when a socket is closed would make that a reset.
                var opening = [UInt8](repeating: 0, count: Self.openingByteCount)
                _ = recv(connection, &opening, opening.count, Int32(MSG_WAITALL))
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
    }

    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        thread.join()
        close(descriptor)
    }

    /// - Returns: the port that was bound.
    private static func listen(_ descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && Glibc.listen(descriptor, 8) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        return isListening ? UInt16(bigEndian: address.sin_port) : nil
    }
}
