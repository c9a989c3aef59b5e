import Cryptography
import NIOCore

/// A piece of the stream that is encrypted once, with a key of its own, and sent over several channels.
///
/// Each channel announces it by a record: the key, the BLAKE2b digest of the encrypted bytes, and their number. The
/// encrypted bytes follow, the same for all, outside of any record. So a channel proves them as it proves its records,
/// though others know the key: nobody finds other bytes of the same digest. Who gets the announcement is also sent the
/// text; nobody else learns the key, and no two parts have the same.
struct SharedPart: Sendable {
    /// What a channel says of it.
    struct Announcement {
        var key: SecretBytes
        /// Of the encrypted bytes.
        var digest: Bytes32
        var byteCount: Int

        static let byteCount = ChaCha20.keyByteCount + Bytes32.count + MemoryLayout<UInt32>.size

        init(key: SecretBytes, digest: Bytes32, byteCount: Int) {
            (self.key, self.digest, self.byteCount) = (key, digest, byteCount)
        }

        /// - Parameter bytes: ``byteCount`` of them.
        /// - Throws: if no part has the length that it states.
        init(from bytes: UnsafeRawBufferPointer) throws(RecordError) {
            key = SecretBytes(copying: bytes[..<ChaCha20.keyByteCount])
            let digestEnd = ChaCha20.keyByteCount + Bytes32.count
            digest = Bytes32 { $0.copyBytes(from: bytes[ChaCha20.keyByteCount..<digestEnd]) }
            let count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: digestEnd, as: UInt32.self)))
            guard (1...SecureChannelLimits.sharedPartByteCount).contains(count) else { throw .badLength(count) }
            byteCount = count
        }

        func write(to buffer: inout ByteBuffer) {
            key.withBytes { _ = buffer.writeBytes($0) }
            buffer.writeBytes(digest.bytes)
            buffer.writeInteger(UInt32(byteCount))
        }

        /// Decrypts the part in place.
        /// - Returns: false, and leaves it as it is, if it is not the one that was announced.
        func open(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
            guard Hashing.blake2b(UnsafeRawBufferPointer(bytes)) == digest else { return false }
            ChaCha20.apply(to: bytes, key: key)
            return true
        }
    }

    let announcement: Announcement
    let ciphertext: ByteBuffer

    init(encrypting messages: [ByteBuffer], byteCount: Int) {
        let key = SecretBytes.random(count: ChaCha20.keyByteCount)
        var text = ByteBuffer()
        text.reserveCapacity(byteCount)
        for message in messages { text.writeImmutableBuffer(message) }
        let digest = text.withUnsafeMutableReadableBytes { bytes in
            ChaCha20.apply(to: bytes, key: key)
            return Hashing.blake2b(UnsafeRawBufferPointer(bytes))
        }
        announcement = Announcement(key: key, digest: digest, byteCount: byteCount)
        ciphertext = text
    }
}
