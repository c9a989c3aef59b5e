import Glibc

// ReplayGain 2.0 states gains towards -18 LUFS
// (https://wiki.hydrogenaud.io/index.php?title=ReplayGain_2.0_specification). Parsers convert Opus's R128 gains, which
// are towards -23 LUFS (RFC 7845 section 5.2.1), by adding 5 dB.

/// Which of a song's loudness tags are followed.
public enum LoudnessMode: String, Hashable, Sendable, CaseIterable {
    /// Every song is as loud as any other.
    case track
    /// Every album is as loud as any other; its songs keep their differences.
    case album
    case off
}

extension AudioStreamSummary {
    /// What samples are to be multiplied with, by the song's loudness tags. 1 without tags.
    ///
    /// Album tags stand in for missing track tags, and track tags for missing album tags. The gain never makes the
    /// stated peak exceed full scale; without a stated peak it never raises the level.
    public func loudnessGain(_ mode: LoudnessMode) -> Float {
        let track = (gain: info[.trackGain], peak: info[.trackPeak])
        let album = (gain: info[.albumGain], peak: info[.albumPeak])
        let tags: [(gain: String?, peak: String?)]
        switch mode {
        case .off: return 1
        case .track: tags = [track, album]
        case .album: tags = [album, track]
        }
        for tag in tags {
            guard let decibels = tag.gain.flatMap(Self.decibels) else { continue }
            let highest = tag.peak.flatMap(Self.peak).map { 1 / $0 } ?? 1
            let gain = min(pow(10, decibels / 20), highest)
            return min(Float(gain), Limits.gainRange.upperBound)
        }
        return 1
    }

    /// Parses "-6.20 dB".
    private static func decibels(_ text: String) -> Double? {
        var text = text.trimmed
        if text.suffix(2).lowercased() == "db" { text = text.dropLast(2) }
        guard let value = Double(text.description.trimmed), abs(value) <= 128 else { return nil }
        return value
    }

    private static func peak(_ text: String) -> Double? {
        guard let value = Double(text.trimmed), value.isFinite, value > 0 else { return nil }
        return value
    }
}

extension String {
    fileprivate var trimmed: Substring {
        let front = drop { $0 == " " }
        return front.lastIndex { $0 != " " }.map { front[...$0] } ?? ""
    }
}
