import AudioCore
import Glibc
import HostSystem

/// A socket for datagrams to one local address, as service managers and journals have them. Never waits for long.
///
/// Any thread may send: the kernel takes a datagram whole.
final class LocalDatagramSocket: Sendable {
    private let descriptor: Int32
    private let address: LocalSocketAddress

    /// Returns nil if the process has no file descriptor left.
    init?(to address: LocalSocketAddress) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        self.address = address
    }

    deinit { close(descriptor) }

    /// How often a receiver that is behind is tried, and how long it is waited for in between: poll(2) tells nothing of
    /// the receiver of a socket that is not connected, and one that is connected would miss a receiver's restart.
    private static let attempts = 10
    private static let pause = TimeSpan.milliseconds(10)

    /// Sends a datagram.
    /// - Returns: whether it is on its way; false where nobody receives, or the receiver is far behind.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        for _ in 1..<Self.attempts {
            if sendNow(bytes) { return true }
            guard errno == EAGAIN || errno == ENOBUFS else { return false }
            sleepThread(for: Self.pause)
        }
        return sendNow(bytes)
    }

    private func sendNow(_ bytes: [UInt8]) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        while true {
            let count = address.withSocketAddress { address, length in
                sendto(descriptor, bytes, bytes.count, flags, address, length)
            }
            if count == bytes.count { return true }
            if count >= 0 || errno != EINTR { return false }
        }
    }
}
