import NIOCore

/// Where a broadcast's page for browsers is, on the broadcaster's machine.
///
/// | field | type | meaning |
/// |---|---|---|
/// | port | u16 | TCP port; 0: there is no page. The state may end before it |
/// | scheme | u8 | 1 https. The state ends before it where the page is served by http |
/// | name | text, 253 bytes | the DNS name by which the page's certificate knows the machine; empty: none |
///
/// A page of an unknown scheme counts as none.
public struct PageLocation: Hashable, Sendable {
    /// How browsers reach it.
    public enum Scheme: Hashable, Sendable {
        case http
        /// - Parameter name: in lower case; by any other name, and by an address, browsers may warn. Nil if the
        ///   certificate has none that leads here.
        case https(name: String?)
    }

    /// The TCP port; not 0.
    public var port: UInt16
    public var scheme: Scheme

    public init(port: UInt16, scheme: Scheme = .http) {
        self.port = port
        self.scheme = scheme
    }

    private static let httpsCode: UInt8 = 1
    /// Of a DNS name without its last dot (RFC 1035 section 2.3.4).
    private static let nameByteCount = 253

    static func write(_ page: PageLocation?, to buffer: inout ByteBuffer) {
        buffer.writeInteger(page?.port ?? 0)
        guard case .https(let name) = page?.scheme else { return }
        buffer.writeInteger(httpsCode)
        buffer.writeText(name ?? "", limit: nameByteCount)
    }

    /// - Returns: nil if the bytes break their layout.
    static func read(from buffer: inout ByteBuffer) -> PageLocation?? {
        guard let port = buffer.readInteger(as: UInt16.self), port > 0 else { return .some(nil) }
        guard buffer.readableBytes > 0 else { return PageLocation(port: port) }
        guard buffer.readInteger(as: UInt8.self) == httpsCode else { return .some(nil) }
        guard let name = buffer.readText(limit: nameByteCount) else { return nil }
        return PageLocation(port: port, scheme: .https(name: isName(name) ? name : nil))
    }

    /// Whether it is a DNS name as a certificate has it: it is shown, and becomes a part of addresses.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
