import AudioCore

/// Fields with lyrics in Vorbis comments and APE tags. No specification names them: these are what taggers write. Each
/// may hold LRC, whatever its name says; each counts once.
struct LyricsFields {
    /// In upper case.
    static let names: Set<String> = ["LYRICS", "SYNCEDLYRICS", "UNSYNCEDLYRICS"]

    private var taken: Set<String> = []

    /// Whether a field of this name, in upper case, has lyrics that are still missing.
    func wants(_ name: String) -> Bool { Self.names.contains(name) && !taken.contains(name) }

    /// Takes a field; returns nil if it is not wanted, empty or too long.
    mutating func take(_ name: String, _ value: ArraySlice<UInt8>) -> AudioStreamLyrics? {
        guard wants(name), value.count <= Limits.lyricsByteCount else { return nil }
        let text = TagText.guessed(Array(value))
        guard !text.isEmpty else { return nil }
        taken.insert(name)
        return .text(text)
    }
}
