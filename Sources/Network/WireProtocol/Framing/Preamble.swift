import NIOCore

/// The first eight bytes in each direction, before anything else.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 6 | magic: `TUTTI` and a line feed, which a text-mode transfer would damage |
/// | 6 | 1 | protocol version |
/// | 7 | 1 | security: 0 plain, 1 a handshake and records follow |
public enum Preamble {
    /// What follows. Neither side accepts what it does not send itself, so nobody on the way can talk two peers out of
    /// encryption.
    public enum Security: UInt8, Sendable {
        /// Messages follow: on a local socket only.
        case plain = 0
        case encrypted = 1
    }

    public static let magic: [UInt8] = Array("TUTTI\n".utf8)
    public static let version: UInt8 = 2
    public static let byteCount = 8

    public static func bytes(_ security: Security) -> [UInt8] { magic + [version, security.rawValue] }

    /// Checks as many of the eight bytes as have arrived: the first byte can reveal noise.
    /// - Returns: whether all eight were there, and so were consumed.
    public static func read(
        from buffer: inout ByteBuffer, expecting security: Security
    ) throws(PreambleError) -> Bool {
        let view = buffer.readableBytesView
        guard view.elementsEqual(magic.prefix(view.count)) || view.prefix(magic.count).elementsEqual(magic) else {
            throw .notTutti
        }
        guard view.count >= byteCount else { return false }
        let version = view[view.startIndex + 6]
        guard version == self.version else { throw .incompatibleVersion(version) }
        let stated = view[view.startIndex + 7]
        guard stated == security.rawValue else { throw .unsupportedSecurity(stated) }
        buffer.moveReaderIndex(forwardBy: byteCount)
        return true
    }
}

/// What is wrong with the first bytes of a peer.
public enum PreambleError: Error, Hashable, Sendable {
    /// They are not Tutti's: another program, or noise.
    case notTutti
    /// The peer speaks another version of the protocol.
    case incompatibleVersion(UInt8)
    /// The peer encrypts nothing, or in another way.
    case unsupportedSecurity(UInt8)
}

extension PreambleError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTutti: "it does not speak Tutti's protocol"
        case .incompatibleVersion(let version):
            "it speaks protocol version \(version), this is version \(Preamble.version): install the same release on both"
        case .unsupportedSecurity(Preamble.Security.plain.rawValue):
            "it encrypts nothing: install the same release on both"
        case .unsupportedSecurity(let security):
            "it asks for encryption of kind \(security), which this release does not have: install the same release on both"
        }
    }
}
