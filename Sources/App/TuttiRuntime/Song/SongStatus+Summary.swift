import AudioCore

extension SongStatus {
    init(_ summary: AudioStreamSummary, elapsed: FramePosition, end: FramePosition?, path: String? = nil) {
        let rate = summary.format?.sampleRate ?? 0
        func time(_ position: FramePosition) -> TimeSpan {
            rate > 0 ? TimeSpan(seconds: Double(max(0, position.index)) / rate) : .zero
        }
        self.init(
            title: summary.info[.title] ?? "untitled", artist: summary.info[.artist],
            format: summary.formatDescription, elapsed: time(elapsed), total: end.map(time) ?? summary.duration,
            album: summary.info[.album], path: path)
    }
}

extension AudioStreamSummary {
    /// For people: "MP3 44.1 kHz stereo 128 kbit/s".
    var formatDescription: String {
        guard let format else { return "" }
        var words = [format.codecName, "\(Self.kilo(format.sampleRate)) kHz", format.channelName]
        if let bitRate { words.append("\(Int((Double(bitRate) / 1_000).rounded())) kbit/s") }
        return words.joined(separator: " ")
    }

    /// Formats thousands with at most two decimals and no trailing zeros: 44.1, 48, 11.03.
    private static func kilo(_ value: Double) -> String {
        let hundredths = Int((value / 10).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension AudioStreamFormat {
    fileprivate var codecName: String {
        guard codec == .linearPCM else { return codec.commonName }
        return "\(codec.commonName) \(bitsPerChannel)-bit\(pcm.contains(.float) ? " float" : "")"
    }

    fileprivate var channelName: String {
        switch channelsPerFrame {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channelsPerFrame) channels"
        }
    }
}
