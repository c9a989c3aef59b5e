import AudioCore

/// Why a sidecar cannot be read.
public enum RecordingSidecarError: Error, Hashable, Sendable {
    /// The first line is not the signature of a known version.
    case unknownFormat
    /// The statement in this line (counted from 1) is malformed.
    case malformedLine(Int)
    /// No sample rate, or no channel count, or one out of range.
    case incomplete
}

extension RecordingSidecar {
    /// Parses a sidecar. Ignores a last line without a line feed: its writer was killed while writing it.
    public init(parsing text: String) throws(RecordingSidecarError) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if !lines.isEmpty { lines.removeLast() }
        guard lines.first.map(String.init) == Self.signature else { throw .unknownFormat }

        var found = RecordingSidecar(sampleRate: 0, channels: 0)
        for (index, line) in lines.enumerated().dropFirst() {
            guard found.take(line.split(separator: " ")) else { throw .malformedLine(index + 1) }
        }
        guard Limits.sampleRateRange.contains(found.sampleRate), Limits.channelRange.contains(found.channels) else {
            throw .incomplete
        }
        self = found
    }

    /// Takes one statement; false if it is malformed.
    private mutating func take(_ words: [Substring]) -> Bool {
        switch words.first {
        case "sampleRate":
            guard words.count == 2, let rate = Double(words[1]) else { return false }
            sampleRate = rate
        case "channels":
            guard words.count == 2, let count = Int(words[1]) else { return false }
            channels = count
        case "segment":
            guard let segment = Segment(words), isInOrder(segment) else { return false }
            segments.append(segment)
        case "event":
            guard words.count == 3, let time = Int64(words[2]) else { return false }
            events.append(Event(name: String(words[1]), host: HostTime(nanoseconds: time)))
        default:
            break
        }
        return true
    }

    private func isInOrder(_ segment: Segment) -> Bool {
        guard let last = segments.last else { return true }
        return segment.firstFrame >= last.firstFrame && segment.host >= last.host
    }
}

extension RecordingSidecar.Segment {
    fileprivate init?(_ words: [Substring]) {
        guard words.count == 4, let first = Int64(words[1]), let time = Int64(words[2]), let rate = Double(words[3]),
            first >= 0, rate.isFinite, rate > 0
        else { return nil }
        self.init(firstFrame: first, host: HostTime(nanoseconds: time), framesPerSecond: rate)
    }
}
