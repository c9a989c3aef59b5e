import AudioCore
import CLAME
import NIOCore

/// Encodes PCM to frames of MP3. Used from one thread at a time.
protocol StreamEncoder: AnyObject {
    /// Takes frames of two samples, -1 to 1.
    /// - Returns: the frames of MP3 that are complete by now.
    func encode(_ samples: [Float]) -> ByteBuffer
    /// Returns the rest. Nothing may follow.
    func flush() -> ByteBuffer
}

/// Where encoders come from: of the input's rate and the output's, in hertz; nil if those cannot be had.
typealias StreamEncoderMaker = @Sendable (_ inputRate: Int, _ outputRate: Int) -> (any StreamEncoder)?

/// libmp3lame's encoder, if it is installed.
final class LAMEEncoder: StreamEncoder {
    static let kilobitsPerSecond = 192
    /// Debian's name of the library's package.
    static let package = "libmp3lame0"
    /// Room that lame.h demands beside 1.25 bytes for each frame.
    private static let spareByteCount = 7_200
    private static let chunkFrameCount = 8_192

    /// Nil if the library is not installed.
    static func maker() -> StreamEncoderMaker? {
        guard clame_load() else { return nil }
        return { inputRate, outputRate in LAMEEncoder(inputRate: inputRate, outputRate: outputRate) }
    }

    private let handle: OpaquePointer
    private let roomPerChunk: Int

    /// Only after the library was loaded.
    private init?(inputRate: Int, outputRate: Int) {
        guard inputRate > 0, let inputRate32 = CInt(exactly: inputRate), let outputRate32 = CInt(exactly: outputRate),
            let handle = clame_open(inputRate32, outputRate32, CInt(Self.kilobitsPerSecond))
        else { return nil }
        self.handle = handle
        let stretch = max(1, Double(outputRate) / Double(inputRate))
        roomPerChunk = Int(1.25 * stretch * Double(Self.chunkFrameCount)) + Self.spareByteCount
    }

    deinit { clame_close(handle) }

    func encode(_ samples: [Float]) -> ByteBuffer {
        var bytes = ByteBuffer()
        var first = 0
        while first < samples.count {
            let next = min(samples.count, first + 2 * Self.chunkFrameCount)
            write(to: &bytes, room: roomPerChunk) { room in
                samples.withUnsafeBufferPointer { all in
                    clame_encode(
                        handle, UnsafeBufferPointer(rebasing: all[first..<next]).baseAddress,
                        CInt((next - first) / 2), room.baseAddress, CInt(room.count))
                }
            }
            first = next
        }
        return bytes
    }

    func flush() -> ByteBuffer {
        var bytes = ByteBuffer()
        write(to: &bytes, room: Self.spareByteCount) { clame_flush(handle, $0.baseAddress, CInt($0.count)) }
        return bytes
    }

    /// A failure writes nothing: the stream has a hole there, and goes on.
    private func write(
        to bytes: inout ByteBuffer, room: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> CInt
    ) {
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { raw in
            min(max(0, Int(body(raw.bindMemory(to: UInt8.self)))), raw.count)
        }
    }
}
