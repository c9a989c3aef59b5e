import CZlib
import NIOCore

/// Unpacking of gzip's format (RFC 1952) by zlib.
enum Gzip {
    /// zlib's number of a window of 32 KiB, and what it adds to that for gzip's header and trailer (zlib.h,
    /// `inflateInit2`).
    private static let windowBits: Int32 = 15 + 16

    /// Returns what the bytes were packed from; nil if they are no whole file of gzip's, if it is not of `byteCount`
    /// bytes, or if there is no memory for it.
    static func unpack(_ bytes: ByteBuffer, byteCount: Int) -> ByteBuffer? {
        guard let packedCount = uInt(exactly: bytes.readableBytes), let count = uInt(exactly: byteCount) else {
            return nil
        }
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var output = ByteBuffer()
        var isDone = false
        // zlib wants a place to write to, even for no bytes.
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: max(byteCount, 1)) { room in
            bytes.withUnsafeReadableBytes { input in
                // zlib reads through this pointer only; its type in C lacks a const.
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = packedCount
                stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = count
                isDone = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
            }
            return byteCount - Int(stream.avail_out)
        }
        return isDone && output.readableBytes == byteCount ? output : nil
    }
}
