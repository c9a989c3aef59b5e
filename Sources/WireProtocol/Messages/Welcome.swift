import AudioCore
import NIOCore

/// A broadcaster's answer to a listener that it will feed: how to learn its clock.
///
/// | field | type | meaning |
/// |---|---|---|
/// | clock port | u16 | UDP port of the clock exchange, on the address of this connection |
/// | clock key | 16 bytes | secret of this listener's clock exchange |
public struct Welcome: Hashable, Sendable {
    public var clockPort: UInt16
    public var clockKey: UUIDBytes

    public init(clockPort: UInt16, clockKey: UUIDBytes) {
        self.clockPort = clockPort
        self.clockKey = clockKey
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(clockPort)
        buffer.writeUUID(clockKey)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let clockPort = buffer.readInteger(as: UInt16.self), let clockKey = buffer.readUUID() else { return nil }
        self.init(clockPort: clockPort, clockKey: clockKey)
    }
}
