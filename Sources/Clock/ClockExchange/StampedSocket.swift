import AudioCore
import CLinux
import ClockSync
import Glibc

/// A UDP socket that converts the kernel's timestamps of its datagrams to host time.
///
/// Belongs to one thread.
struct StampedSocket: ~Copyable {
    /// A datagram that arrived.
    struct Received {
        var bytes: [UInt8]
        var at: HostTime
        var path: tutti_datagram_path
    }

    /// A datagram that was sent.
    struct Sent {
        var bytes: [UInt8]
        var at: HostTime
    }

    /// The result of one read from the socket.
    enum Next<Datagram> {
        case datagram(Datagram)
        /// Something else: a datagram of the wrong size, a stamp that cannot be used, an error report.
        case unusable
        case empty
    }

    let descriptor: Int32
    private var converter = RealTimeConverter()
    private var buffer = [UInt8](repeating: 0, count: 512)

    /// Opens a socket bound to every address at `port`; 0 lets the kernel choose.
    init(port: UInt16) throws(ClockExchangeError) {
        descriptor = tutti_udp_bind(port)
        guard descriptor >= 0 else {
            throw ClockExchangeError(operation: "bind UDP port \(port)", code: -descriptor)
        }
    }

    init(connectedTo address: DatagramAddress) throws(ClockExchangeError) {
        descriptor = address.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { tutti_udp_connect($0.baseAddress, socklen_t(bytes.count)) }
        }
        guard descriptor >= 0 else { throw ClockExchangeError(operation: "open UDP socket", code: -descriptor) }
    }

    deinit { close(descriptor) }

    var port: UInt16 { UInt16(truncatingIfNeeded: max(0, tutti_udp_port(descriptor))) }

    /// Call it before waiting, so that a step of real time during the wait is noticed.
    mutating func prepareToWait() { converter.refresh() }

    /// Sends a datagram; one that the network refuses counts as lost.
    func send(_ bytes: [UInt8], along path: tutti_datagram_path? = nil) {
        if var path {
            _ = tutti_udp_send(descriptor, bytes, Int64(bytes.count), &path)
        } else {
            _ = tutti_udp_send(descriptor, bytes, Int64(bytes.count), nil)
        }
    }

    mutating func receive() -> Next<Received> {
        var datagram = tutti_datagram()
        let result = tutti_udp_receive(descriptor, &buffer, Int64(buffer.count), &datagram)
        guard result == 0 else { return result == -EAGAIN ? .empty : .unusable }
        guard datagram.length == ClockDatagram.byteCount, let at = arrival(of: datagram) else { return .unusable }
        return .datagram(Received(bytes: Array(buffer[..<ClockDatagram.byteCount]), at: at, path: datagram.path))
    }

    mutating func receiveSent() -> Next<Sent> {
        var datagram = tutti_datagram()
        let result = tutti_udp_receive_sent(descriptor, &buffer, Int64(buffer.count), &datagram)
        guard result == 0 else { return result == -EAGAIN ? .empty : .unusable }
        let length = Int(datagram.length)
        guard datagram.real_nanoseconds != 0, length >= ClockDatagram.byteCount, length <= buffer.count,
            let at = converter.host(ofRealNanoseconds: datagram.real_nanoseconds)
        else { return .unusable }
        // Link, network and UDP headers precede what was sent.
        return .datagram(Sent(bytes: Array(buffer[(length - ClockDatagram.byteCount)..<length]), at: at))
    }

    /// Returns the kernel's stamp, or now if there is none: too late, as if the network had been slow.
    private mutating func arrival(of datagram: tutti_datagram) -> HostTime? {
        guard datagram.real_nanoseconds != 0 else { return .now() }
        return converter.host(ofRealNanoseconds: datagram.real_nanoseconds)
    }
}
