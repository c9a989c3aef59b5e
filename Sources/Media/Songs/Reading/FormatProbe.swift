import AudioCore

/// Finds out from a stream's first packets what the parser cannot see: AAC may hold spectral band replication without a
/// word of it in the file (14496-3 section 1.6.5.2), and comes out at twice the rate then; and where there is a word of
/// that, there may be none of parametric stereo, which makes two channels of one.
///
/// Reading knows no decoder: whoever has one lends it.
public struct FormatProbe: Sendable {
    /// Packets that are tried.
    static let packetCount = 8
    /// Above this rate, in hertz, nothing is replicated: the doubled rate would be beyond what is in use.
    static let highestRate = 24_000.0

    /// The format as decoded, of the format as parsed, the magic cookie and the first packets; the same format where
    /// nothing is to be said.
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
