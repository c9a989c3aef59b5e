import Glibc

/// Writes every frame that this host's interfaces carry to standard output, byte by byte as it travelled.
///
///     wire-capture [--port NUMBER]
///
/// With a port: only UDP and TCP from or to it. Says `CAPTURING` on standard error once it does. Needs root.
@main
enum WireCapture {
    static func main() {
        let place = CommandLine.arguments.firstIndex(of: "--port")
        let port = place.flatMap { CommandLine.arguments[($0 + 1)...].first }.flatMap { UInt16($0) }
        // ETH_P_ALL, in network byte order: packet(7).
        let descriptor = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), Int32(UInt16(3).bigEndian))
        guard descriptor >= 0, place == nil || port != nil else {
            perror("wire-capture")
            exit(1)
        }
        write(Array("CAPTURING\n".utf8)[...], to: STDERR_FILENO)
        var frame = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &frame, frame.count, 0), count > 0 {
            let isWanted = port.map { ports(of: frame[..<count]).contains($0) } ?? true
            if isWanted { write(frame[..<count], to: STDOUT_FILENO) }
        }
    }

    /// The ports of a UDP or TCP packet in an Ethernet frame; none of any other, or of a fragment.
    private static func ports(of frame: ArraySlice<UInt8>) -> [UInt16] {
        func number(at place: Int) -> UInt16 {
            place + 1 < frame.count ? UInt16(frame[place]) << 8 | UInt16(frame[place + 1]) : 0
        }
        let (start, transport): (Int, UInt8)
        switch number(at: 12) {
        case 0x0800 where frame.count > 33 && number(at: 20) & 0x1FFF == 0:
            (start, transport) = (14 + Int(frame[14] & 15) * 4, frame[23])
        case 0x86DD where frame.count > 53: (start, transport) = (54, frame[20])
        default: return []
        }
        return transport == 6 || transport == 17 ? [number(at: start), number(at: start + 2)] : []
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        bytes.withUnsafeBytes { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
