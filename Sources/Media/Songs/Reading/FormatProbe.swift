import AudioCore

/// Detects from a stream's first packets what the parser cannot see: AAC may contain SBR without signalling it (14496-3
/// section 1.6.5.2), and then decodes to twice the sample rate; and if SBR is signalled, PS may not be, which makes two
/// channels of one.
///
/// Reading depends on no decoder: a caller that has one lends it.
public struct FormatProbe: Sendable {
    /// Packets to try.
    static let packetCount = 8
    /// Above this sample rate, in hertz, there is no SBR: the doubled rate would exceed those in use.
    static let highestRate = 24_000.0

    /// Returns the format as decoded, given the format as parsed, the magic cookie and the first packets; the same
    /// format if there is nothing to correct.
    let decodedFormat: @Sendable (AudioStreamFormat, [UInt8], [[UInt8]]) -> AudioStreamFormat

    public init(_ decodedFormat: @escaping @Sendable (AudioStreamFormat, [UInt8], [[UInt8]]) -> AudioStreamFormat) {
        self.decodedFormat = decodedFormat
    }

    static func isWorthTrying(_ format: AudioStreamFormat) -> Bool {
        switch format.codec {
        case .aac: format.sampleRate <= highestRate
        case .aacHE: format.channelsPerFrame == 1
        default: false
        }
    }
}
