import Cryptography
import NIOCore

/// Encrypts one direction of a channel.
///
/// A record is a length (u16, that of what follows), the encrypted bytes and a tag of 16 bytes. The length is
/// authenticated with them, the place in the order by the counter, which is the nonce. Records have nothing to do with
/// the bounds of messages: what one flush sends becomes one record, or several full ones and the rest. All records
/// together are the stream of messages.
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
                    output.writeInteger(UInt16(room + ChaChaPoly.tagByteCount))
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
