import AudioCore

/// Gives each piece of information to the sink once: of several tags the first wins.
struct InfoCollector {
    private var given: Set<AudioInfoKey> = []

    mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ fields: [(AudioInfoKey, String)], into sink: inout Sink
    ) {
        for (key, value) in fields where given.insert(key).inserted {
            sink.streamDidParse(property: .info(key, value))
        }
    }
}
