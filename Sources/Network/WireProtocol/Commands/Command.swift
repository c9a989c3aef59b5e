import NIOCore

/// What somebody asks of a broadcast. The broadcaster answers with a ``CommandOutcome``.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | ``CommandID`` |
/// | operation | u16, then its fields to the message's end | ``CommandOperation`` |
public struct Command: Hashable, Sendable {
    public var id: CommandID
    public var operation: CommandOperation

    public init(id: CommandID = .random(), _ operation: CommandOperation) {
        self.id = id
        self.operation = operation
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        operation.write(to: &buffer)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let operation = CommandOperation(from: &buffer) else { return nil }
        self.init(id: id, operation)
    }
}
