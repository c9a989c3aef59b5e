import Glibc

/// A WebSocket's client side (RFC 6455) on a socket of the kernel's. It does not wait once it is open, and masks with
/// zeros: nothing here is secret, and no proxy is in between.
final class LoadWebSocket {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    enum Message {
        case text(String)
        case binary(ArraySlice<UInt8>)
    }

    let descriptor: Int32
    private(set) var isOpen = true
    private(set) var byteCount = 0
    /// Read, and not parsed yet.
    private var held: [UInt8] = []

    private static let lineLimit = 16_384
    private static let readCount = 262_144
    private static let patience = 10

    /// Connects, asks for a WebSocket, and waits until it is open.
    /// - Parameters:
    ///   - source: an own IPv4 address.
    ///   - target: path and query.
    init(from source: String, to host: String, port: UInt16, target: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(String(cString: strerror(errno)))") }
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        try Self.name(source, 0) { bind(descriptor, $0, $1) }
        try Self.name(host, port) { connect(descriptor, $0, $1) }
        let head =
            "GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        guard sendAll(Array(head.utf8)) else { throw Failure(description: "\(target): not sent") }
        try readHead(target)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func name(
        _ host: String, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw Failure(description: "\(host) is no IPv4 address")
        }
        let result = withUnsafePointer(to: address) { raw in
            raw.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "\(host): \(String(cString: strerror(errno)))") }
    }

    private func readHead(_ target: String) throws {
        let end = Array("\r\n\r\n".utf8)
        var scanned = 0
        while held.count < Self.lineLimit {
            guard fill() else { throw Failure(description: "\(target): closed, or no answer") }
            while scanned + end.count <= held.count {
                if held[scanned..<scanned + end.count].elementsEqual(end) {
                    let status = String(decoding: held.prefix(12), as: UTF8.self)
                    guard status == "HTTP/1.1 101" else { throw Failure(description: "\(target): \(status)") }
                    held.removeFirst(scanned + end.count)
                    return
                }
                scanned += 1
            }
        }
        throw Failure(description: "\(target): an endless head")
    }

    /// Reads once; returns whether something came.
    private func fill() -> Bool {
        let before = held.count
        held.append(contentsOf: repeatElement(0, count: Self.readCount))
        let count = held.withUnsafeMutableBytes { buffer in
            recv(descriptor, buffer.baseAddress.map { $0 + before }, Self.readCount, 0)
        }
        held.removeLast(Self.readCount - max(0, count))
        if count > 0 { byteCount += count }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { isOpen = false }
        return count > 0
    }

    /// Gives whole messages that have come; answers pings. A message in several frames is given frame by frame.
    func receive(_ give: (Message) -> Void) {
        guard isOpen, fill() else { return }
        var at = 0
        while let frame = frame(at: at) {
            let payload = held[frame.payload]
            switch frame.operation {
            case 1: give(.text(String(decoding: payload, as: UTF8.self)))
            case 0, 2: give(.binary(payload))
            case 8: isOpen = false
            case 9: send(Array(payload), operation: 10)
            default: break
            }
            at = frame.payload.upperBound
        }
        held.removeFirst(at)
    }

    /// A whole frame (RFC 6455, section 5.2); a server's are not masked.
    private func frame(at start: Int) -> (operation: UInt8, payload: Range<Int>)? {
        guard start + 2 <= held.count else { return nil }
        let short = Int(held[start + 1] & 0x7F)
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        let first = start + 2 + extra
        guard first <= held.count else { return nil }
        let length = extra == 0 ? short : held[start + 2..<first].reduce(0) { $0 &<< 8 | Int($1) }
        guard length >= 0, length <= held.count - first else { return nil }
        return (held[start] & 0x0F, first..<first + length)
    }

    func send(_ text: String) { send(Array(text.utf8), operation: 1) }

    func send(_ bytes: [UInt8], operation: UInt8 = 2) {
        guard isOpen else { return }
        var frame: [UInt8] = [0x80 | operation]
        if bytes.count < 126 {
            frame.append(0x80 | UInt8(bytes.count))
        } else {
            frame += [0x80 | 126, UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)]
        }
        if !sendAll(frame + [0, 0, 0, 0] + bytes) { isOpen = false }
    }

    /// What is sent is short: the kernel takes all of it, or the connection is as good as lost.
    private func sendAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }
}
