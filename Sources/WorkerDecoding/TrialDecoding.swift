import AudioCore
import AudioDecoding
import CodecLibrary

/// Finds out what a parser cannot see: whether a stream that says "AAC" has spectral band replication and parametric
/// stereo in its packets (14496-3 section 1.6.5.2, implicit signalling). Then it comes out at twice the rate, or with a
/// second channel.
public enum TrialDecoding {
    /// What the stream is as decoded.
    /// - Parameters:
    ///   - format: as parsed. Anything but ``AudioCore/Codec/aac`` is given back as it is, at no cost.
    ///   - packets: the stream's first ones. Some eight are enough: every packet of such a stream bears the mark.
    /// - Returns: the format with codec, rate, channels and frames per packet as decoded; unchanged where no packet
    ///   could be decoded, or where the library can do no better than the parser.
    /// - Throws: as ``WorkerDecoder``'s `init`.
    public static func decodedFormat(
        of format: AudioStreamFormat, magicCookie: [UInt8], packets: [[UInt8]], program: WorkerProgram = .itself
    ) throws(AudioDecodingError) -> AudioStreamFormat {
        guard format.codec == .aac, !packets.isEmpty else { return format }
        let setup = ForeignSetup(
            codec: format.codec, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            magicCookie: magicCookie, findsImplicitSBR: true)
        let session = try DecodeSession.start(setup, program)
        var last: WorkerFrames?
        for packet in packets.prefix(16) where packet.count <= Limits.packetByteCount {
            do throws(WorkerProcess.Failure) {
                let frames = try session.decode(packet.span.bytes)
                if frames.isWhole, frames.frameCount > 0 { last = frames }
            } catch {
                break
            }
        }
        guard let last, Double(last.sampleRate) == format.sampleRate * 2,
            Limits.sampleRateRange.contains(Double(last.sampleRate)), Limits.channelRange.contains(last.channelCount)
        else { return format }
        var decoded = format
        decoded.codec = last.channelCount == format.channelsPerFrame ? .aacHE : .aacHEv2
        decoded.sampleRate = Double(last.sampleRate)
        decoded.channelsPerFrame = last.channelCount
        // 0 where they vary.
        if format.framesPerPacket > 0 { decoded.framesPerPacket = last.frameCount }
        return decoded
    }
}
