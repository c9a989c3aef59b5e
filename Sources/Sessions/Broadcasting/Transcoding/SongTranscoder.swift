import AudioCore
import AudioDecoding
import NIOCore

/// Performs a ``TranscodingRequest``: decodes packets and converts the frames to integers.
///
/// Holds the decoder of one rendition at a time. A request takes up to some milliseconds, and more if the decoder works
/// in another process: do not use it on a thread that others wait for. Used from one thread at a time.
public struct SongTranscoder {
    private let decoders: DecoderCatalog
    private var current: (rendition: RenditionNumber, decoder: any AudioPacketDecoder)?
    /// Decoded frames of one packet.
    private var scratch: [Float] = []

    public init(decoders: DecoderCatalog) { self.decoders = decoders }

    /// - Parameter isStopped: asked between packets. If it returns true, nobody wants the answer any more, and the
    ///   answer may lack frames at its end.
    public mutating func answer(
        _ request: TranscodingRequest, isStopped: () -> Bool = { false }
    ) -> TranscodingReply {
        do throws(AudioDecodingError) {
            let first = max(request.firstFrame, request.position)
            return TranscodingReply(
                rendition: request.rendition, outcome: .frames(try decode(request, from: first, isStopped), at: first))
        } catch {
            current = nil
            return TranscodingReply(rendition: request.rendition, outcome: .failed("\(error)"))
        }
    }

    /// Releases the decoder.
    public mutating func release() {
        current = nil
        scratch = []
    }

    private mutating func decoder(
        for request: TranscodingRequest
    ) throws(AudioDecodingError) -> any AudioPacketDecoder {
        if let current, current.rendition == request.rendition { return current.decoder }
        current = nil
        let decoder = try decoders.makeDecoder(for: request.source, magicCookie: request.magicCookie)
        // The timeline counts the song's frames as its container states them.
        guard decoder.sampleRate == request.target.sampleRate, decoder.channelCount == request.target.channelsPerFrame
        else { throw .formatChanged }
        current = (request.rendition, decoder)
        return decoder
    }

    private mutating func decode(
        _ request: TranscodingRequest, from first: FramePosition, _ isStopped: () -> Bool
    ) throws(AudioDecodingError) -> ByteBuffer {
        let decoder = try decoder(for: request)
        if let streamFrame = request.streamFrame { decoder.reset(streamFrame: streamFrame) }
        let channelCount = decoder.channelCount
        let frameCount = request.packets.reduce(0) { $0 + $1.frameCount }
        let wantedCount = min(max(0, request.position + Int64(frameCount) - first), Int64(frameCount))
        var output = ByteBuffer()
        output.reserveCapacity(Int(wantedCount) * request.target.bytesPerFrame)
        var position = request.position
        for packet in request.packets where !isStopped() {
            let sampleCount = packet.frameCount * channelCount
            if scratch.count < sampleCount { scratch = Array(repeating: 0, count: sampleCount) }
            let bytes = request.data.readableBytesSpan
                .extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
            var samples = scratch.mutableSpan
            try decoder.decode(packet: bytes, frameCount: packet.frameCount, into: &samples)
            let unwanted = Int(min(max(0, first - position), Int64(packet.frameCount))) * channelCount
            scratch[unwanted..<sampleCount].withUnsafeBufferPointer {
                Self.append($0, byteCount: request.target.bytesPerFrame / channelCount, to: &output)
            }
            position += Int64(packet.frameCount)
        }
        return output
    }

    /// Rounds to integers of two or three bytes, ties to even, so that integer sources come out unchanged. Clips what
    /// lies beyond full scale. Adds no dither: the listener's volume, resampler and card come after it.
    private static func append(_ samples: UnsafeBufferPointer<Float>, byteCount: Int, to output: inout ByteBuffer) {
        let scale: Float = byteCount == 3 ? 0x1p23 : 0x1p15
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: samples.count * byteCount) { target in
            for index in 0..<samples.count {
                let scaled = (samples[index] * scale).rounded(.toNearestOrEven)
                let value = Int32(scaled >= -scale ? min(scaled, scale - 1) : scaled < -scale ? -scale : 0)
                for byte in 0..<byteCount {
                    target[index * byteCount + byte] = UInt8(truncatingIfNeeded: value >> Int32(byte * 8))
                }
            }
            return samples.count * byteCount
        }
    }
}
