import AudioCore
import NIOCore

/// A command that was done, as the broadcaster's log has it.
///
/// | field | type | meaning |
/// |---|---|---|
/// | number | u64 | from 1; one more with each entry |
/// | id | 16 bytes | the command's |
/// | who | text, 63 bytes | name of the peer that asked |
/// | effect | i64 | session time at which it takes effect; never before the preceding entry's |
/// | operation | u16, then its fields | ``CommandOperation``; addresses without credentials |
public struct LogEntry: Hashable, Sendable {
    public var number: UInt64
    public var id: CommandID
    public var who: String
    public var effect: SessionTime
    public var operation: CommandOperation

    public init(number: UInt64, id: CommandID, who: String, effect: SessionTime, _ operation: CommandOperation) {
        self.number = number
        self.id = id
        self.who = who
        self.effect = effect
        self.operation = operation
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(number)
        buffer.writeCommandID(id)
        buffer.writeText(who, limit: WireLimits.peerNameByteCount)
        buffer.writeInteger(effect.nanoseconds)
        operation.write(to: &buffer)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let number = buffer.readInteger(as: UInt64.self), let id = buffer.readCommandID(),
            let who = buffer.readText(limit: WireLimits.peerNameByteCount),
            let effect = buffer.readInteger(as: Int64.self), let operation = CommandOperation(from: &buffer)
        else { return nil }
        self.init(number: number, id: id, who: who, effect: SessionTime(nanoseconds: effect), operation)
    }
}
