import Glibc

/// A TCP connection to this machine, for saying anything at any speed.
final class SocketClient {
    private let descriptor: Int32

    init?(port: UInt16) {
        descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Makes its end a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func say(_ text: String) { say(Array(text.utf8)) }

    /// - Returns: how many bytes the kernel took, without waiting for more than so many milliseconds.
    @discardableResult func say(_ bytes: [UInt8], within milliseconds: Int32 = 5_000) -> Int {
        var taken = 0
        while taken < bytes.count {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, milliseconds) > 0 else { return taken }
            let count = bytes.withUnsafeBytes { raw in
                send(
                    descriptor, raw.baseAddress.map { $0 + taken }, raw.count - taken,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return taken }
            taken += count
        }
        return taken
    }

    /// What comes until there are so many bytes, or it ends, or nothing has come for ten seconds.
    func hear(_ byteCount: Int) -> [UInt8] {
        var heard: [UInt8] = []
        while heard.count < byteCount, let piece = hearPiece(byteCount - heard.count), !piece.isEmpty { heard += piece }
        return heard
    }

    /// All that comes until the other side ends it; nil if it has not after ten seconds.
    func hearToEnd() -> String? {
        var heard: [UInt8] = []
        while let piece = hearPiece(65_536) {
            guard !piece.isEmpty else { return nil }
            heard += piece
        }
        return String(decoding: heard, as: UTF8.self)
    }

    /// A response with its body, or what came instead.
    func hearResponse() -> HeardResponse? {
        var heard: [UInt8] = []
        while let piece = hearPiece(1), !piece.isEmpty {
            heard += piece
            guard heard.suffix(4) == [13, 10, 13, 10] else { continue }
            let head = HeardResponse.all(in: String(decoding: heard, as: UTF8.self), toHead: true).first
            heard += hear(Int(head?.headers["content-length"] ?? "0") ?? 0)
            return HeardResponse.all(in: String(decoding: heard, as: UTF8.self)).first
        }
        return nil
    }

    /// Empty if nothing came for ten seconds; nil at the end.
    private func hearPiece(_ most: Int) -> [UInt8]? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 10_000) > 0 else { return [] }
        var piece = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &piece, most, 0)
        return count > 0 ? Array(piece[..<count]) : nil
    }
}
