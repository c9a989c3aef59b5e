import AudioCore

/// A file of linear PCM: its kind, and what its samples are.
public struct PCMFileFormat: Hashable, Sendable {
    /// `wave`, `aiff`, `aifc` or `caf`.
    public let type: AudioFileType
    /// In hertz. WAVE states whole numbers.
    public let sampleRate: Double
    public let channelCount: Int
    public let samples: SampleFormat
    /// Where the channels that are appended go, and for which loudspeakers they are.
    public let speakers: SpeakerOrder

    /// - Throws: `unsupported` where the kind of file cannot hold this.
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
        // AIFF has a place for floats only where it has one for codecs. Its readers reckon bytes from bits.
        let isAIFF = type == .aiff || type == .aifc
        self.type = type == .aiff && samples.isFloat ? .aifc : type
        var samples = samples
        if isAIFF, samples.byteCount != (samples.validBits + 7) / 8 { samples.validBits = samples.byteCount * 8 }
        self.samples = samples
    }

    public var bytesPerFrame: Int { channelCount * samples.byteCount }

    public var encoding: SampleEncoding { SampleEncoding(samples, in: type) }

    /// The kind of file that a name's ending asks for; nil where it is none that can be written.
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
    /// All bytes before the samples: as many for any number of frames.
    /// - Parameter isWhole: nothing will follow.
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

    /// Frames that the header's numbers can count.
    var largestFrameCount: Int64 {
        switch type {
        case .aiff, .aifc:
            let around = Int64(AIFFHeader(self, frameCount: 0).bytes.count)
            return (AIFFHeader.largestByteCount - around - 1) / Int64(bytesPerFrame)
        // What a file's offsets can count, and more than any disk has.
        default: return (Int64(1) << 62) / Int64(bytesPerFrame)
        }
    }

    /// Whether an odd number of sample bytes is followed by one more.
    var isPadded: Bool { type != .caf }
}
