import AudioCore
import NIOCore

/// A broadcaster's answer to a listener that it will serve, or to an observer: how to learn its clock.
///
/// | field | type | meaning |
/// |---|---|---|
/// | clock port | u16 | UDP port of the clock exchange, on the address of this connection |
/// | clock key | 24 bytes | identifier and secret of this connection's clock exchange |
public struct Welcome: Hashable, Sendable {
    public static let clockKeyByteCount = 24

    public var clockPort: UInt16
    /// Exactly ``clockKeyByteCount`` bytes.
    public var clockKey: [UInt8]

    public init(clockPort: UInt16, clockKey: [UInt8]) {
        precondition(clockKey.count == Self.clockKeyByteCount)
        self.clockPort = clockPort
        self.clockKey = clockKey
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(clockPort)
        buffer.writeBytes(clockKey)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let clockPort = buffer.readInteger(as: UInt16.self),
            let clockKey = buffer.readBytes(length: Self.clockKeyByteCount)
        else { return nil }
        self.init(clockPort: clockPort, clockKey: clockKey)
    }
}
