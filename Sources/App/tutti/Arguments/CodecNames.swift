import AudioCore

/// Codecs as the command line names them.
enum CodecNames {
    private static let table: [(name: String, codecs: Set<Codec>)] = [
        ("pcm", [.linearPCM]), ("mp3", [.mpegLayer3]), ("mp2", [.mpegLayer1, .mpegLayer2]),
        ("aac", [.aac, .aacHE, .aacHEv2]), ("alac", [.alac]), ("flac", [.flac]), ("vorbis", [.vorbis]),
        ("opus", [.opus]), ("ac3", [.ac3]), ("amr", [.amrNarrowband, .amrWideband]), ("g711", [.muLaw, .aLaw]),
        ("ima", [.ima4, .waveIMA]),
    ]

    static var all: [String] { table.map(\.name) }

    /// Returns the codecs in a comma-separated list of names, and PCM in any case.
    static func codecs(_ text: String, for option: String) throws(UsageError) -> Set<Codec> {
        var codecs: Set<Codec> = [.linearPCM]
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let entry = table.first(where: { $0.name == name.lowercased() }) else {
                throw UsageError(valueOf: option, "'\(name)' is no codec; it takes \(all.joined(separator: ", "))")
            }
            codecs.formUnion(entry.codecs)
        }
        return codecs
    }
}
