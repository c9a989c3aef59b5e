import AudioCore

/// Reports each piece of information to the sink once: of several tags the first wins. Lyrics are reported as often as
/// they are found; the sink chooses.
struct InfoCollector {
    private var given: Set<AudioInfoKey> = []
    private var hasArtwork = false

    mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ fields: [(AudioInfoKey, String)], into sink: inout Sink
    ) {
        for (key, value) in fields where given.insert(key).inserted {
            sink.streamDidParse(property: .info(key, value))
        }
    }

    mutating func give<Sink: AudioStreamSink & ~Copyable>(_ findings: [TagFinding], into sink: inout Sink) {
        for finding in findings {
            switch finding {
            case .text(let key, let value): give([(key, value)], into: &sink)
            case .artwork(let picture):
                guard !hasArtwork else { continue }
                hasArtwork = true
                sink.streamDidParse(property: .artwork(picture))
            case .lyrics(let lyrics): sink.streamDidParse(lyrics: lyrics)
            }
        }
    }
}

/// One finding in a tag.
enum TagFinding {
    case text(AudioInfoKey, String)
    case artwork([UInt8])
    case lyrics(AudioStreamLyrics)
}
