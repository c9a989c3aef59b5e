import CZlib
import NIOCore

/// Compression by zlib in gzip's format (RFC 1952). The same bytes in give the same bytes out.
enum Gzip {
    /// zlib's number of a window of 32 KiB, and what it adds to that for gzip's header and trailer (zlib.h,
    /// `deflateInit2`).
    private static let windowBits: Int32 = 15 + 16
    /// zlib's default (zlib.h, `deflateInit2`).
    private static let memoryLevel: Int32 = 8

    /// Returns the bytes compressed as far as zlib can; nil if there is no memory for it. Takes milliseconds for a file
    /// of the page.
    static func compress(_ bytes: ByteBuffer) -> ByteBuffer? {
        guard let count = uInt(exactly: bytes.readableBytes) else { return nil }
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        // So large that one call does it all.
        guard let bound = uInt(exactly: deflateBound(&stream, uLong(count))) else { return nil }
        var output = ByteBuffer()
        var isDone = false
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: Int(bound)) { room in
            bytes.withUnsafeReadableBytes { input in
                // zlib reads through this pointer only; its type in C lacks a const.
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = count
                stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = bound
                isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            return Int(bound - stream.avail_out)
        }
        return isDone ? output : nil
    }
}
