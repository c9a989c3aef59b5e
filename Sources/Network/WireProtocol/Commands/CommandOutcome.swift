import AudioCore
import NIOCore

/// What became of a command.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | the command's |
/// | verdict | u8 | 0 done, 1 refused |
/// | *if done:* number | u64 | the command's in the log |
/// | effect | i64 | session time at which it takes effect |
/// | *if refused:* reason | u16 | ``CommandRefusal``: 0 other, 1 not allowed, 2 nothing plays, 3 empty queue, 4 no such item, 5 no such listener, 6 out of range, 7 live, 8 full queue, 9 unknown operation, 10 too many commands, 11 unplayable, 12 no room, 13 source cannot seek, 14 listener records, 15 song too long, 16 too many songs at once |
/// | nearest | text, 63 bytes | the listener's name that was probably meant; else empty |
/// | sent | i64 | session time at which the broadcaster sent this: whoever asked knows how long the effect is away |
/// | text | text, 512 bytes | for display; empty if there is nothing to say |
public struct CommandOutcome: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        case done(number: UInt64, effect: SessionTime)
        case refused(CommandRefusal)
    }

    public var id: CommandID
    public var verdict: Verdict
    /// When the broadcaster sent this.
    public var sent: SessionTime
    public var text: String

    public init(
        id: CommandID, _ verdict: Verdict, sent: SessionTime = SessionTime(nanoseconds: 0), text: String = ""
    ) {
        self.id = id
        self.verdict = verdict
        self.sent = sent
        self.text = text
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        switch verdict {
        case .done(let number, let effect):
            buffer.writeInteger(UInt8(0))
            buffer.writeInteger(number)
            buffer.writeInteger(effect.nanoseconds)
        case .refused(let refusal):
            buffer.writeInteger(UInt8(1))
            refusal.write(to: &buffer)
        }
        buffer.writeInteger(sent.nanoseconds)
        buffer.writeText(text, limit: WireLimits.reasonByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let verdict = Verdict(from: &buffer),
            let sent = buffer.readInteger(as: Int64.self),
            let text = buffer.readText(limit: WireLimits.reasonByteCount)
        else { return nil }
        self.init(id: id, verdict, sent: SessionTime(nanoseconds: sent), text: text)
    }
}

extension CommandOutcome.Verdict {
    fileprivate init?(from buffer: inout ByteBuffer) {
        switch buffer.readInteger(as: UInt8.self) {
        case 0:
            guard let number = buffer.readInteger(as: UInt64.self), let effect = buffer.readInteger(as: Int64.self)
            else { return nil }
            self = .done(number: number, effect: SessionTime(nanoseconds: effect))
        case 1:
            guard let refusal = CommandRefusal(from: &buffer) else { return nil }
            self = .refused(refusal)
        default: return nil
        }
    }
}
