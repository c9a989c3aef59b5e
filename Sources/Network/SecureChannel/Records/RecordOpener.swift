import Cryptography
import NIOCore

/// Decrypts one direction of a channel: takes bytes in pieces of any size, and gives the stream that was sealed.
///
/// Complete records and shared parts are decrypted where they lie, if the caller keeps no other reference to the bytes.
/// It stores no more than one of them that is not complete. After an error it gives nothing more, and repeats the
/// error.
public struct RecordOpener {
    /// What the next bytes are.
    private enum Expected {
        case record
        case shared(SharedPart.Announcement)
    }

    private var cipher: CipherState
    private var expected = Expected.record
    /// The beginning of what is expected, copied so that none of the caller's memory is kept.
    private var held = ByteBuffer()
    /// What ended the channel; nil while it goes on.
    public private(set) var failure: RecordError?

    private static let allowedByteCounts =
        ChaChaPoly.tagByteCount + 1...ChaChaPoly.tagByteCount + SecureChannelLimits.recordPlaintextByteCount

    init(key: SecretBytes) { cipher = CipherState(key: key) }

    /// Bytes that wait for the rest of their record or shared part.
    public var heldByteCount: Int { held.readableBytes }

    /// Returns the plaintext of all that these bytes complete, in one piece. If a record or a shared part is bad, the
    /// plaintext of what stands before it is returned, ``failure`` is set, and the next call throws; if there is none,
    /// this one throws.
    public mutating func open(_ bytes: consuming ByteBuffer) throws(RecordError) -> ByteBuffer {
        if let failure { throw failure }
        var plaintext = ByteBuffer()
        if held.readableBytes > 0 {
            guard complete(from: &bytes) else { return try result(plaintext) }
            var whole = held
            held = ByteBuffer()
            plaintext = openAll(in: &whole)
        }
        if failure == nil {
            var rest = openAll(in: &bytes)
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

    /// Adds to what is held as much as completes what is expected. Returns whether it is complete.
    private mutating func complete(from bytes: inout ByteBuffer) -> Bool {
        take(from: &bytes, upTo: SecureChannelLimits.lengthByteCount)
        do throws(RecordError) {
            guard let total = try held.withUnsafeReadableBytes(expectedByteCount) else { return false }
            take(from: &bytes, upTo: total)
            return held.readableBytes == total
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func take(from bytes: inout ByteBuffer, upTo total: Int) {
        let missing = min(total - held.readableBytes, bytes.readableBytes)
        guard missing > 0, var part = bytes.readSlice(length: missing) else { return }
        held.writeBuffer(&part)
    }

    /// Returns of how many bytes that is which these begin; nil while it is not known.
    private func expectedByteCount(_ bytes: UnsafeRawBufferPointer) throws(RecordError) -> Int? {
        if case .shared(let announcement) = expected { return announcement.byteCount }
        guard let length = RecordLength(from: bytes) else { return nil }
        guard length.isAnnouncement || Self.allowedByteCounts.contains(length.byteCount) else {
            throw .badLength(Int(length.rawValue))
        }
        return SecureChannelLimits.lengthByteCount + length.byteCount
    }

    /// Decrypts in place all that is complete, and takes it from the bytes. Returns the plaintext, moved together.
    private mutating func openAll(in bytes: inout ByteBuffer) -> ByteBuffer {
        var (taken, written) = (0, 0)
        bytes.withUnsafeMutableReadableBytes { bytes in
            do throws(RecordError) {
                while taken < bytes.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[taken...])
                    guard let count = try expectedByteCount(UnsafeRawBufferPointer(rest)), count <= rest.count
                    else { break }
                    let text = try openNext(UnsafeMutableRawBufferPointer(rebasing: rest[..<count]))
                    // The two may overlap; copyMemory moves.
                    UnsafeMutableRawBufferPointer(rebasing: bytes[written..<written + text.count])
                        .copyMemory(from: text)
                    written += text.count
                    taken += count
                }
            } catch {
                fail(error)
            }
        }
        let plaintext = bytes.getSlice(at: bytes.readerIndex, length: written) ?? ByteBuffer()
        bytes.moveReaderIndex(forwardBy: taken)
        return plaintext
    }

    /// Decrypts what is expected where it lies. Returns its plaintext, which is none for an announcement.
    private mutating func openNext(
        _ bytes: UnsafeMutableRawBufferPointer
    ) throws(RecordError) -> UnsafeRawBufferPointer {
        switch expected {
        case .record: return try openRecord(bytes)
        case .shared(let announcement):
            guard announcement.open(bytes) else { throw .notAuthentic }
            expected = .record
            return UnsafeRawBufferPointer(bytes)
        }
    }

    private mutating func openRecord(
        _ bytes: UnsafeMutableRawBufferPointer
    ) throws(RecordError) -> UnsafeRawBufferPointer {
        let header = UnsafeRawBufferPointer(rebasing: bytes[..<SecureChannelLimits.lengthByteCount])
        let record = UnsafeMutableRawBufferPointer(rebasing: bytes[SecureChannelLimits.lengthByteCount...])
        guard cipher.open(record, additionalData: header) else { throw .notAuthentic }
        let text = UnsafeRawBufferPointer(rebasing: record.dropLast(ChaChaPoly.tagByteCount))
        guard RecordLength(from: header)?.isAnnouncement == true else { return text }
        expected = .shared(try SharedPart.Announcement(from: text))
        return UnsafeRawBufferPointer(start: text.baseAddress, count: 0)
    }

    /// Takes note that the connection ended. Throws if that was within a record or a shared part, or between the two.
    public mutating func end() throws(RecordError) {
        if failure == nil {
            if held.readableBytes > 0 { fail(.truncated) }
            if case .shared = expected { fail(.truncated) }
        }
        if let failure { throw failure }
    }

    private mutating func fail(_ error: RecordError) {
        failure = error
        expected = .record
        held = ByteBuffer()
    }
}
