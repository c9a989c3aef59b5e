import AudioCore
import NIOCore

/// Field types of the wire: big-endian integers, and texts in UTF-8 with a 16-bit length.
extension ByteBuffer {
    /// Writes one message: type, length, and what `body` writes.
    mutating func writeMessage(_ type: MessageType, _ body: (inout ByteBuffer) -> Void) {
        writeInteger(type.rawValue)
        let lengthIndex = writerIndex
        writeInteger(UInt32(0))
        body(&self)
        let length = writerIndex - lengthIndex - MemoryLayout<UInt32>.size
        setInteger(UInt32(length), at: lengthIndex)
    }

    /// Writes a text, cut between two Unicode scalars if it is longer than `limit` bytes.
    mutating func writeText(_ text: String, limit: Int) {
        let bytes = text.cut(toByteCount: limit).utf8
        writeInteger(UInt16(bytes.count))
        writeBytes(bytes)
    }

    /// Reads a text. Malformed UTF-8 is repaired, and cut if the repair made it longer than `limit`. Returns nil if the
    /// text itself is longer, or runs past the message's end.
    mutating func readText(limit: Int) -> String? {
        guard let count = readInteger(as: UInt16.self), count <= limit, let slice = readSlice(length: Int(count)) else {
            return nil
        }
        return String(decoding: slice.readableBytesView, as: UTF8.self).cut(toByteCount: limit)
    }

    mutating func writeDouble(_ value: Double) { writeInteger(value.bitPattern) }

    /// Reads an IEEE 754 number; returns nil if it is not finite.
    mutating func readDouble() -> Double? {
        guard let value = readInteger(as: UInt64.self).map(Double.init(bitPattern:)), value.isFinite else { return nil }
        return value
    }

    mutating func writeSpan(_ span: TimeSpan) { writeInteger(span.nanoseconds) }
    mutating func readSpan() -> TimeSpan? { readInteger(as: Int64.self).map(TimeSpan.init(nanoseconds:)) }

    mutating func writePosition(_ position: FramePosition) { writeInteger(position.index) }
    mutating func readPosition() -> FramePosition? { readInteger(as: Int64.self).map { FramePosition($0) } }

    mutating func writeEpoch(_ epoch: Epoch) { writeInteger(epoch.number) }
    mutating func readEpoch() -> Epoch? { readInteger(as: UInt32.self).map { Epoch($0) } }

    mutating func writeUUID(_ uuid: UUIDBytes) {
        writeInteger(uuid.high)
        writeInteger(uuid.low)
    }

    mutating func readUUID() -> UUIDBytes? {
        guard let high = readInteger(as: UInt64.self), let low = readInteger(as: UInt64.self) else { return nil }
        return UUIDBytes(high: high, low: low)
    }
}

extension String {
    /// Returns the text, cut between two Unicode scalars to at most this many bytes of UTF-8.
    fileprivate func cut(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (end, count) = (startIndex, 0)
        for index in unicodeScalars.indices {
            count += UTF8.width(unicodeScalars[index])
            guard count <= limit else { break }
            end = unicodeScalars.index(after: index)
        }
        return String(self[..<end])
    }
}
