import AudioCore

/// The format of a linear PCM file: its type and its samples.
public struct PCMFileFormat: Hashable, Sendable {
    /// `wave`, `aiff`, `aifc` or `caf`.
    public let type: AudioFileType
    /// In hertz. WAVE stores whole numbers.
    public let sampleRate: Double
    public let channelCount: Int
    public let samples: SampleFormat
    /// The order of appended channels in the file, and their loudspeakers.
    public let speakers: SpeakerOrder

    /// - Throws: `unsupported` if the file type cannot contain this.
    public init(
        type: AudioFileType, sampleRate: Double, channelCount: Int, samples: SampleFormat,
        speakers: SpeakerOrder = .unknown
    ) throws(AudioFileWritingError) {
        guard [.wave, .aiff, .aifc, .caf].contains(type) else {
            throw .unsupported("only WAVE, AIFF and CAF files can be written")
        }
        guard Limits.channelRange.contains(channelCount) else {
            throw .unsupported("a file of \(channelCount) channels cannot be written, only of 1 to 8")
        }
        guard sampleRate >= 1, sampleRate <= Double(Int32.max) else {
            throw .unsupported("a file of \(sampleRate) Hz cannot be written")
        }
        guard (1...4).contains(samples.byteCount), samples.validBits > 0, samples.validBits <= samples.byteCount * 8
        else { throw .unsupported("samples of \(samples.validBits) bits cannot be written") }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.speakers = speakers
        // AIFF has floats only in AIFF-C, which has codecs. Its readers derive byte counts from bits.
        let isAIFF = type == .aiff || type == .aifc
        self.type = type == .aiff && samples.isFloat ? .aifc : type
        var samples = samples
        if isAIFF, samples.byteCount != (samples.validBits + 7) / 8 { samples.validBits = samples.byteCount * 8 }
        self.samples = samples
    }

    public var bytesPerFrame: Int { channelCount * samples.byteCount }

    public var encoding: SampleEncoding { SampleEncoding(samples, in: type) }

    /// Returns the file type for a name's extension; nil if it cannot be written.
    public static func type(forPath path: String) -> AudioFileType? {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return switch name[name.index(after: dot)...].lowercased() {
        case "wav", "wave": .wave
        case "aif", "aiff": .aiff
        case "aifc": .aifc
        case "caf": .caf
        default: nil
        }
    }
}

extension PCMFileFormat {
    /// Returns all bytes before the samples; their number is the same for any frame count.
    /// - Parameter isWhole: no frames will follow.
    func header(frameCount: Int64, isWhole: Bool) -> [UInt8] {
        switch type {
        case .caf: CAFHeader(self, frameCount: isWhole ? frameCount : nil).bytes
        case .aiff, .aifc: AIFFHeader(self, frameCount: frameCount).bytes
        default:
            WAVEHeader(
                sampleRate: sampleRate, channelCount: channelCount, samples: samples, speakerMask: speakers.mask,
                frameCount: frameCount, isGrowing: true
            ).bytes
        }
    }

    /// The most frames that the header's numbers can count.
    var largestFrameCount: Int64 {
        switch type {
        case .aiff, .aifc:
            let around = Int64(AIFFHeader(self, frameCount: 0).bytes.count)
            return (AIFFHeader.largestByteCount - around - 1) / Int64(bytesPerFrame)
        // The limit of file offsets, and more than any disk has.
        default: return (Int64(1) << 62) / Int64(bytesPerFrame)
        }
    }

    /// Whether a pad byte follows an odd number of sample bytes.
    var isPadded: Bool { type != .caf }
}
