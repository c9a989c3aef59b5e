import AudioCore

/// All bytes of a CAF file before its samples (Core Audio Format specification 1.0).
///
/// While the file grows, the audio's size says "to the end of the file", which stays right whenever writing ends.
struct CAFHeader {
    let bytes: [UInt8]

    /// kCAFLinearPCMFormatFlagIsFloat and ...IsLittleEndian.
    private static let float: UInt32 = 1
    private static let littleEndian: UInt32 = 2
    /// The edit count precedes the samples, and counts as audio.
    private static let editCountByteCount: Int64 = 4

    /// - Parameter frameCount: nil while the file grows.
    init(_ format: PCMFileFormat, frameCount: Int64?) {
        var description: [UInt8] = []
        description.append(big: format.sampleRate.bitPattern)
        description += Array("lpcm".utf8)
        description.append(big: Self.littleEndian | (format.samples.isFloat ? Self.float : 0))
        description.append(big: UInt32(format.bytesPerFrame))
        description.append(big: UInt32(1))
        description.append(big: UInt32(format.channelCount))
        description.append(big: UInt32(format.samples.validBits))
        var bytes = Array("caff".utf8)
        bytes.append(big: UInt16(1))
        bytes.append(big: UInt16(0))
        Self.append("desc", description, to: &bytes)
        if format.speakers.mask != 0, format.channelCount > 2 {
            Self.append("chan", CoreAudioLayoutBytes.bytes(mask: format.speakers.mask), to: &bytes)
        }
        bytes += Array("data".utf8)
        bytes.append(big: frameCount.map { $0 * Int64(format.bytesPerFrame) + Self.editCountByteCount } ?? -1)
        bytes.append(big: UInt32(0))
        self.bytes = bytes
    }

    private static func append(_ name: String, _ body: [UInt8], to bytes: inout [UInt8]) {
        bytes += Array(name.utf8)
        bytes.append(big: Int64(body.count))
        bytes += body
    }
}
