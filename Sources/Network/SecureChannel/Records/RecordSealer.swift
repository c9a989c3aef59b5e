import Cryptography
import NIOCore

/// Encrypts one direction of a channel.
///
/// A record is a length (u16, that of what follows), the encrypted bytes and a tag of 16 bytes. The length is
/// authenticated with them, the place in the order by the counter, which is the nonce. Records have nothing to do with
/// the bounds of messages: what one flush sends becomes one record, or several full ones and the rest. All records
/// together are the stream of messages.
///
/// A record whose length has its highest bit set announces a ``SharedPart``, which follows it and takes its place in
/// the stream.
///
/// Nothing is rekeyed: a direction may have 2^64 - 1 records, and ChaCha20-Poly1305 has no limit of bytes before that
/// (RFC 8446, section 5.5). That a stream was cut between two records shows only from the messages, whose last says
/// that it is the last.
///
/// Not copyable, see ``EstablishedChannel``.
public struct RecordSealer: ~Copyable {
    private var cipher: CipherState

    init(key: SecretBytes) { cipher = CipherState(key: key) }

    /// Returns the records for messages that are sent together. The messages are copied once, and encrypted where the
    /// copy lies.
    public mutating func seal(_ messages: some Collection<ByteBuffer>) -> ByteBuffer {
        var left = messages.reduce(0) { $0 + $1.readableBytes }
        var output = ByteBuffer()
        guard left > 0 else { return output }
        let limit = SecureChannelLimits.recordPlaintextByteCount
        output.reserveCapacity(left + (left + limit - 1) / limit * SecureChannelLimits.recordOverhead)
        var room = 0
        var start = 0
        for message in messages {
            var message = message
            while message.readableBytes > 0 {
                if room == 0 {
                    room = min(left, limit)
                    start = output.writerIndex
                    output.writeInteger(RecordLength(plaintextByteCount: room).rawValue)
                }
                guard var part = message.readSlice(length: min(room, message.readableBytes)) else { break }
                room -= part.readableBytes
                left -= part.readableBytes
                output.writeBuffer(&part)
                if room == 0 { finishRecord(from: start, in: &output) }
            }
        }
        return output
    }

    /// Returns the records for the bytes of one message.
    public mutating func seal(_ message: ByteBuffer) -> ByteBuffer { seal(CollectionOfOne(message)) }

    /// Returns what to send for these, in order. What is shared is not copied.
    public mutating func seal(_ pieces: [OutgoingPiece]) -> [ByteBuffer] {
        var output: [ByteBuffer] = []
        var messages: [ByteBuffer] = []
        for piece in pieces {
            switch piece {
            case .message(let message): messages.append(message)
            case .shared(let shared):
                var records = seal(messages)
                messages.removeAll(keepingCapacity: true)
                let part = seal(shared, into: &records)
                output.append(records)
                output.append(part)
            }
        }
        if !messages.isEmpty { output.append(seal(messages)) }
        return output
    }

    /// Adds the record that announces these messages' ``SharedPart``.
    /// - Returns: the part, to be sent behind the record.
    private mutating func seal(_ shared: SharedMessages, into output: inout ByteBuffer) -> ByteBuffer {
        let start = output.writerIndex
        output.writeInteger(RecordLength.announcement.rawValue)
        shared.part.announcement.write(to: &output)
        finishRecord(from: start, in: &output)
        return shared.part.ciphertext
    }

    private mutating func finishRecord(from start: Int, in output: inout ByteBuffer) {
        output.writeRepeatingByte(0, count: ChaChaPoly.tagByteCount)
        let offset = start - output.readerIndex
        output.withUnsafeMutableReadableBytes { bytes in
            let lengthEnd = offset + SecureChannelLimits.lengthByteCount
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: bytes[lengthEnd...]),
                additionalData: UnsafeRawBufferPointer(rebasing: bytes[offset..<lengthEnd]))
        }
    }
}
