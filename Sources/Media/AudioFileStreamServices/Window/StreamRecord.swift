import AudioCore

/// What a parser has reported so far.
final class StreamRecord {
    fileprivate(set) var summary = AudioStreamSummary()
    fileprivate(set) var packetCount: Int64 = 0
    fileprivate(set) var largestPacketByteCount = 0
    fileprivate(set) var problemCount = 0
}

/// Passes everything on to the user's sink, and records it.
struct ObservedSink<Sink: AudioStreamSink & ~Copyable>: AudioStreamSink {
    /// Valid only while the container is parsing.
    let sink: UnsafeMutablePointer<Sink>
    let record: StreamRecord

    mutating func streamDidParse(property: AudioStreamProperty) {
        if case .problem = property {
            record.problemCount &+= 1
            guard record.problemCount <= Limits.streamProblemCount else { return }
        }
        record.summary.note(property)
        sink.pointee.streamDidParse(property: property)
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        for index in descriptions.indices {
            record.largestPacketByteCount = max(record.largestPacketByteCount, descriptions[index].byteCount)
        }
        record.packetCount &+= Int64(descriptions.count)
        sink.pointee.streamDidParse(packets: descriptions, data: data)
    }

    mutating func streamDidParse(lyrics: AudioStreamLyrics) { sink.pointee.streamDidParse(lyrics: lyrics) }
}
