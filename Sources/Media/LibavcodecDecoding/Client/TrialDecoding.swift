import AudioCore
import AudioDecoding

/// Finds out what a parser cannot see: whether a stream that says "AAC" has spectral band replication and parametric
/// stereo in its packets (14496-3 section 1.6.5.2, implicit signalling). Then it comes out at twice the rate, or with a
/// second channel. One that tells of replication alone may have parametric stereo as well.
public enum TrialDecoding {
    /// What the stream is as decoded.
    /// - Parameters:
    ///   - format: as parsed. Anything but ``AudioCore/Codec/aac``, and ``AudioCore/Codec/aacHE`` of one channel, is
    ///     given back as it is, at no cost.
    ///   - packets: the stream's first ones. Some eight are enough: every packet of such a stream bears the mark.
    /// - Returns: the format with codec, rate, channels and frames per packet as decoded; unchanged where no packet
    ///   could be decoded, or where the library can do no better than the parser.
    /// - Throws: as ``WorkerDecoder``'s `init`.
    public static func decodedFormat(
        of format: AudioStreamFormat, magicCookie: [UInt8], packets: [[UInt8]], program: WorkerProgram = .itself
    ) throws(AudioDecodingError) -> AudioStreamFormat {
        let isPlain = format.codec == .aac
        guard isPlain || format.codec == .aacHE && format.channelsPerFrame == 1, !packets.isEmpty else { return format }
        let setup = ForeignSetup(
            codec: format.codec, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            magicCookie: magicCookie, findsImplicitSBR: true)
        let session = try DecodeSession.start(setup, program)
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
            // Where there is no parametric stereo, the library makes two channels that are the same.
            decoded.codec = .aacHEv2
            decoded.channelsPerFrame = 2
        }
        return decoded
    }

    /// Whether the channels of interleaved stereo are.
    private static func areDifferent(_ samples: UnsafeRawBufferPointer) -> Bool {
        let size = MemoryLayout<Float>.stride
        return stride(from: 0, to: samples.count - 2 * size + 1, by: 2 * size).contains { place in
            samples.loadUnaligned(fromByteOffset: place, as: Float.self)
                != samples.loadUnaligned(fromByteOffset: place + size, as: Float.self)
        }
    }
}
