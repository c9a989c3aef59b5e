import AudioCore
import Songs
import TerminalIO

extension SongFacts {
    /// For people: the file's name, and below it everything known.
    var lines: [StyledLine] {
        [StyledLine(path.withoutCredentials, .strong)]
            + entries.map { title, text in
                var line = StyledLine("  " + title.padded(to: 14, alignment: .left), .faint)
                line.append(text, title == Self.problemTitle ? .warning : .plain)
                return line
            }
    }

    private static let problemTitle = "problem"

    private var entries: [(title: String, text: String)] {
        var entries: [(String, String)] = []
        if let format = summary.format {
            entries.append(("format", "\(format.codecTitle) in \(summary.fileType.map(\.title) ?? "?")"))
            entries.append(("sample rate", "\(format.sampleRate.plain) Hz"))
            entries.append(("channels", format.channelTitle(summary.channelLayout)))
            if format.bitsPerChannel > 0 { entries.append(("sample size", "\(format.bitsPerChannel) bit")) }
        }
        if let seconds { entries.append(("duration", "\(seconds.clock) (\(frameCount) frames)")) }
        if primingFrameCount > 0 || remainderFrameCount > 0 {
            entries.append(
                ("trimmed", "\(primingFrameCount) frames in front, \(remainderFrameCount) behind (encoder's padding)"))
        }
        entries.append(("packets", packetTitle))
        if let bitRate { entries.append(("bit rate", "\((Double(bitRate) / 1_000).fixed(1)) kbit/s")) }
        for key in AudioInfoKey.shown {
            if let value = summary.info[key] { entries.append((key.title, value)) }
        }
        if let artwork {
            entries.append(("artwork", "\(artwork.format ?? "picture"), \(artwork.byteCount) bytes"))
        }
        entries.append(
            (
                "plays",
                isStreamable
                    ? "from a file or as a stream"
                    : "from a file only: what is needed to play it comes after the audio"
            ))
        if let nextSongOffset {
            entries.append(
                (
                    "followed by",
                    "another stream of another format at byte \(nextSongOffset), which is played as a further song"
                ))
        }
        return entries + problemLines.map { (Self.problemTitle, $0) }
    }

    private var packetTitle: String {
        let length = framesPerPacket.map { "of \($0) frames" } ?? "of varying length"
        let size =
            smallestPacketByteCount == largestPacketByteCount
            ? "\(largestPacketByteCount)" : "\(smallestPacketByteCount) to \(largestPacketByteCount)"
        return "\(packetCount) \(length), \(size) bytes"
    }
}

extension AudioStreamFormat {
    fileprivate var codecTitle: String {
        guard codec == .linearPCM, channelsPerFrame > 0 else { return codec.commonName }
        let kind = pcm.contains(.float) ? "float" : pcm.contains(.signedInteger) ? "integer" : "unsigned"
        let bytes = bytesPerFrame / channelsPerFrame
        let order = bytes > 1 ? pcm.contains(.bigEndian) ? ", big-endian" : ", little-endian" : ""
        return "PCM, \(bytes * 8)-bit \(kind)\(order)"
    }

    fileprivate func channelTitle(_ layout: AudioChannelLayout?) -> String {
        let names = layout.map { $0.labels.map { "\($0)" }.joined(separator: ", ") }
        return names.map { "\(channelsPerFrame) (\($0))" } ?? "\(channelsPerFrame)"
    }
}

extension AudioFileType {
    fileprivate var title: String {
        switch self {
        case .mpegLayer1, .mpegLayer2, .mpegLayer3: "an MPEG audio stream"
        case .wave: "WAVE"
        case .aiff: "AIFF"
        case .aifc: "AIFF-C"
        case .caf: "CAF"
        case .nextSun: "AU"
        case .flac: "a FLAC stream"
        case .ogg: "Ogg"
        case .adts: "an ADTS stream"
        case .mpeg4: "MPEG-4"
        case .ac3: "an AC-3 stream"
        case .amr: "AMR"
        case .tutti: "Tutti's stream"
        }
    }
}

extension Double {
    /// The value without trailing zeros.
    fileprivate var plain: String { rounded() == self ? fixed(0) : fixed(3) }

    /// Seconds as `4:05.120`.
    fileprivate var clock: String {
        let milliseconds = Int64(saturating: (self * 1_000).rounded())
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let digits = "\(rest)"
        return TimeSpan(seconds: Double(seconds)).clockReading + "." + String(repeating: "0", count: 3 - digits.count)
            + digits
    }
}
