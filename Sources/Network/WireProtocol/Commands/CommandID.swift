import NIOCore

/// The identifier of a command: 16 random bytes, chosen by whoever asks.
///
/// A command that comes twice, as after a lost connection, acts once.
public struct CommandID: Hashable, Sendable, BitwiseCopyable {
    /// The first 8 bytes, as a big-endian number.
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> CommandID {
        CommandID(high: generator.next(), low: generator.next())
    }

    public static func random() -> CommandID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}

extension ByteBuffer {
    mutating func writeCommandID(_ id: CommandID) {
        writeInteger(id.high)
        writeInteger(id.low)
    }

    mutating func readCommandID() -> CommandID? {
        guard let high = readInteger(as: UInt64.self), let low = readInteger(as: UInt64.self) else { return nil }
        return CommandID(high: high, low: low)
    }
}
