import AudioCore
import AudioDecoding

/// Detects what a parser cannot see: whether a stream that says "AAC" contains SBR and PS in its packets (14496-3
/// section 1.6.5.2, implicit signalling). It then decodes to twice the sample rate, or to a second channel. A stream
/// that signals only SBR may contain PS as well.
public enum TrialDecoding {
    /// Returns the stream's format as decoded.
    /// - Parameters:
    ///   - format: as parsed. Anything but ``AudioCore/Codec/aac``, and ``AudioCore/Codec/aacHE`` with one channel, is
    ///     returned unchanged at no cost.
    ///   - packets: the first packets of the stream. About eight are enough: each of them has the extension.
    /// - Returns: the format with codec, sample rate, channels and frames per packet as decoded; unchanged if no packet
    ///   could be decoded, or if the library knows no more than the parser.
    /// - Throws: the same errors as ``WorkerDecoder``'s `init`.
    public static func decodedFormat(
        of format: AudioStreamFormat, magicCookie: [UInt8], packets: [[UInt8]], program: WorkerProgram = .itself
    ) throws(AudioDecodingError) -> AudioStreamFormat {
        try decodedFormat(of: format, magicCookie: magicCookie, packets: packets) { setup throws(AudioDecodingError) in
            try DecodeSession.start(setup, program)
        }
    }

    /// - Parameter start: starts a worker.
    package static func decodedFormat(
        of format: AudioStreamFormat, magicCookie: [UInt8], packets: [[UInt8]],
        start: (LibraryDecoderSetup) throws(AudioDecodingError) -> DecodeSession
    ) throws(AudioDecodingError) -> AudioStreamFormat {
        let isPlain = format.codec == .aac
        guard isPlain || format.codec == .aacHE && format.channelsPerFrame == 1, !packets.isEmpty else { return format }
        let setup = LibraryDecoderSetup(
            codec: format.codec, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            magicCookie: magicCookie, findsImplicitSBR: true)
        let session = try start(setup)
        var last: WorkerFrames?
        var isStereo = false
        for packet in packets.prefix(16) where packet.count <= Limits.packetByteCount {
            do throws(WorkerProcess.Failure) {
                let frames = try session.decode(packet.span.bytes)
                guard frames.isWhole, frames.frameCount > 0 else { continue }
                last = frames
                isStereo = isStereo || frames.channelCount == 2 && session.withSamples { areDifferent($0) }
            } catch {
                break
            }
        }
        guard let last, Limits.sampleRateRange.contains(Double(last.sampleRate)),
            Limits.channelRange.contains(last.channelCount)
        else { return format }
        var decoded = format
        if isPlain, Double(last.sampleRate) == format.sampleRate * 2 {
            decoded.codec = last.channelCount == format.channelsPerFrame ? .aacHE : .aacHEv2
            decoded.sampleRate = Double(last.sampleRate)
            decoded.channelsPerFrame = last.channelCount
            decoded.framesPerPacket = last.frameCount
        } else if !isPlain, isStereo, Double(last.sampleRate) == format.sampleRate {
            // Without PS, the library outputs two equal channels.
            decoded.codec = .aacHEv2
            decoded.channelsPerFrame = 2
        }
        return decoded
    }

    /// Whether the channels of interleaved stereo differ.
    private static func areDifferent(_ samples: UnsafeRawBufferPointer) -> Bool {
        let size = MemoryLayout<Float>.stride
        return stride(from: 0, to: samples.count - 2 * size + 1, by: 2 * size).contains { place in
            samples.loadUnaligned(fromByteOffset: place, as: Float.self)
                != samples.loadUnaligned(fromByteOffset: place + size, as: Float.self)
        }
    }
}
