import NIOCore

/// How a broadcast ended.
///
/// | field | type | meaning |
/// |---|---|---|
/// | kind | u8 | 0 the song ended, 1 somebody stopped it: fade out now, 2 an error: play what is buffered |
/// | text | text, 512 bytes | for display |
public struct BroadcastEnd: Hashable, Sendable {
    public enum Kind: UInt8, Hashable, Sendable {
        case completed = 0
        case stopped = 1
        case failed = 2
    }

    public var kind: Kind
    public var text: String

    public init(_ kind: Kind, _ text: String = "") {
        self.kind = kind
        self.text = text
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(kind.rawValue)
        buffer.writeText(text, limit: WireLimits.reasonByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let kind = buffer.readInteger(as: UInt8.self).flatMap(Kind.init),
            let text = buffer.readText(limit: WireLimits.reasonByteCount)
        else { return nil }
        self.init(kind, text)
    }
}
