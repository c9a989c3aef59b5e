import Cryptography
import NIOCore

/// Decrypts one direction of a channel: takes bytes in pieces of any size, and gives the stream that was sealed.
///
/// Complete records are decrypted where they lie, if the caller keeps no other reference to the bytes. It stores no
/// more than one record that is not complete. After an error it gives nothing more, and repeats the error.
public struct RecordOpener {
    private var cipher: CipherState
    /// The beginning of a record, copied so that none of the caller's memory is kept.
    private var held = ByteBuffer()
    /// What ended the channel; nil while it goes on.
    public private(set) var failure: RecordError?

    private static let allowedByteCounts =
        ChaChaPoly.tagByteCount + 1...ChaChaPoly.tagByteCount + SecureChannelLimits.recordPlaintextByteCount

    init(key: SecretBytes) { cipher = CipherState(key: key) }

    /// Bytes that wait for the rest of their record.
    public var heldByteCount: Int { held.readableBytes }

    /// Returns the plaintext of all records that these bytes complete, in one piece. If a record is bad, the plaintext
    /// of those before it is returned, ``failure`` is set, and the next call throws; if there is none, this one throws.
    public mutating func open(_ bytes: consuming ByteBuffer) throws(RecordError) -> ByteBuffer {
        if let failure { throw failure }
        var plaintext = ByteBuffer()
        if held.readableBytes > 0 {
            guard completeHeldRecord(from: &bytes) else { return try result(plaintext) }
            var record = held
            held = ByteBuffer()
            plaintext = openRecords(in: &record)
        }
        if failure == nil {
            var rest = openRecords(in: &bytes)
            if failure == nil { held.writeBuffer(&bytes) }
            if plaintext.readableBytes == 0 { return try result(rest) }
            plaintext.writeBuffer(&rest)
        }
        return try result(plaintext)
    }

    private func result(_ plaintext: ByteBuffer) throws(RecordError) -> ByteBuffer {
        if let failure, plaintext.readableBytes == 0 { throw failure }
        return plaintext
    }

    /// Adds to what is held as much as completes one record. Returns whether it is complete.
    private mutating func completeHeldRecord(from bytes: inout ByteBuffer) -> Bool {
        take(from: &bytes, upTo: SecureChannelLimits.lengthByteCount)
        guard let length = held.getInteger(at: held.readerIndex, as: UInt16.self) else { return false }
        guard Self.allowedByteCounts.contains(Int(length)) else {
            fail(.badLength(Int(length)))
            return false
        }
        take(from: &bytes, upTo: SecureChannelLimits.lengthByteCount + Int(length))
        return held.readableBytes == SecureChannelLimits.lengthByteCount + Int(length)
    }

    private mutating func take(from bytes: inout ByteBuffer, upTo total: Int) {
        let missing = min(total - held.readableBytes, bytes.readableBytes)
        guard missing > 0, var part = bytes.readSlice(length: missing) else { return }
        held.writeBuffer(&part)
    }

    /// Decrypts all complete records in place, and takes them from the bytes. Returns their plaintext, moved together.
    private mutating func openRecords(in bytes: inout ByteBuffer) -> ByteBuffer {
        var (taken, written) = (0, 0)
        var failure: RecordError?
        bytes.withUnsafeMutableReadableBytes { bytes in
            while failure == nil, bytes.count - taken >= SecureChannelLimits.lengthByteCount {
                let start = taken + SecureChannelLimits.lengthByteCount
                let length = Int(bytes[taken]) << 8 | Int(bytes[taken + 1])
                guard Self.allowedByteCounts.contains(length) else {
                    failure = .badLength(length)
                    break
                }
                guard bytes.count - start >= length else { break }
                let record = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + length])
                let header = UnsafeRawBufferPointer(rebasing: bytes[taken..<start])
                guard cipher.open(record, additionalData: header) else {
                    failure = .notAuthentic
                    break
                }
                let count = length - ChaChaPoly.tagByteCount
                // The two may overlap; copyMemory moves.
                UnsafeMutableRawBufferPointer(rebasing: bytes[written..<written + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: record[..<count]))
                written += count
                taken = start + length
            }
        }
        let plaintext = bytes.getSlice(at: bytes.readerIndex, length: written) ?? ByteBuffer()
        bytes.moveReaderIndex(forwardBy: taken)
        if let failure { fail(failure) }
        return plaintext
    }

    /// Takes note that the connection ended. Throws if that was within a record.
    public mutating func end() throws(RecordError) {
        if failure == nil, held.readableBytes > 0 { fail(.truncated) }
        if let failure { throw failure }
    }

    private mutating func fail(_ error: RecordError) {
        failure = error
        held = ByteBuffer()
    }
}
