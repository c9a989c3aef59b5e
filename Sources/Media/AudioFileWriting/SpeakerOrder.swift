import AudioCore

/// Where a song's channels go in a frame of a file, whose channels stand in the order of the speaker mask's bits.
public struct SpeakerOrder: Hashable, Sendable {
    /// WAVE's, which CAF and AIFF share; 0 where it is not known which channel is which loudspeaker's.
    public let mask: UInt32
    /// For each channel of the file's frame the one of the song's; nil where they are in order.
    public let permutation: [Int]?

    /// Channels that stay where they are, whosever they are.
    public static let unknown = SpeakerOrder(nil, channelCount: 0)

    /// - Parameter isArranged: whether the channels have come out of their decoder in that order already.
    public init(_ layout: AudioChannelLayout?, channelCount: Int, isArranged: Bool = false) {
        let bits = layout?.labels.map(Self.bit) ?? []
        let known = bits.compactMap { $0 }
        guard !known.isEmpty, known.count == channelCount, bits.count == channelCount, Set(known).count == channelCount
        else {
            mask = 0
            permutation = nil
            return
        }
        mask = known.reduce(0) { $0 | 1 << $1 }
        let order = known.indices.sorted { known[$0] < known[$1] }
        permutation = isArranged || order == Array(known.indices) ? nil : order
    }

    /// - Parameter codec: what the channels came in: those of uncompressed ones stand as they do in their file, decoders of
    ///   all others put them in WAVE's order.
    public init(_ layout: AudioChannelLayout?, channelCount: Int, codec: Codec) {
        let isArranged = ![.linearPCM, .muLaw, .aLaw, .ima4, .waveIMA].contains(codec)
        self.init(layout, channelCount: channelCount, isArranged: isArranged)
    }

    private static func bit(_ label: AudioChannelLabel) -> UInt32? {
        switch label {
        case .mono: AudioChannelLabel.center.rawValue - 1
        case .unknown: nil
        default: (1...18).contains(label.rawValue) ? label.rawValue - 1 : nil
        }
    }

    /// Puts the channels of whole frames into their order.
    public func arrange(_ bytes: inout [UInt8], from start: Int, bytesPerSample: Int) {
        guard let permutation else { return }
        let bytesPerFrame = permutation.count * bytesPerSample
        var frame = [UInt8](repeating: 0, count: bytesPerFrame)
        for place in stride(from: start, to: bytes.count - bytesPerFrame + 1, by: bytesPerFrame) {
            for index in 0..<bytesPerFrame { frame[index] = bytes[place + index] }
            for (target, source) in permutation.enumerated() {
                for index in 0..<bytesPerSample {
                    bytes[place + target * bytesPerSample + index] = frame[source * bytesPerSample + index]
                }
            }
        }
    }
}
