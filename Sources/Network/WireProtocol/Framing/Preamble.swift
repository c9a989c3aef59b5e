import NIOCore

/// The first eight bytes in each direction, before any message.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 6 | magic: `TUTTI` and a line feed, which a text-mode transfer would damage |
/// | 6 | 1 | protocol version |
/// | 7 | 1 | security: 0 plain; other values are reserved for a handshake that would follow at once |
public enum Preamble {
    public static let magic: [UInt8] = Array("TUTTI\n".utf8)
    public static let version: UInt8 = 2
    static let plain: UInt8 = 0
    static let byteCount = 8

    static func write(to buffer: inout ByteBuffer) {
        buffer.writeBytes(magic)
        buffer.writeInteger(version)
        buffer.writeInteger(plain)
    }

    /// Checks as many of the eight bytes as have arrived: the first byte can reveal noise.
    /// - Returns: whether all eight were there, and so were consumed.
    static func read(from buffer: inout ByteBuffer) throws(WireError) -> Bool {
        let view = buffer.readableBytesView
        guard view.elementsEqual(magic.prefix(view.count)) || view.prefix(magic.count).elementsEqual(magic) else {
            throw .notTutti
        }
        guard view.count >= byteCount else { return false }
        let version = view[view.startIndex + 6]
        guard version == self.version else { throw .incompatibleVersion(version) }
        let security = view[view.startIndex + 7]
        guard security == plain else { throw .unsupportedSecurity(security) }
        buffer.moveReaderIndex(forwardBy: byteCount)
        return true
    }
}
