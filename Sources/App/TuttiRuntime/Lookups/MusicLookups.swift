/// What others may look up on this machine.
public enum MusicLookup: Hashable, Sendable {
    /// The words of a song, as LRC or plain text in UTF-8.
    case lyrics(ofSong: String)
    /// Its picture: the bytes of an image file.
    case artwork(ofSong: String)
    /// How loud it is from its beginning to its end: an encoded `LevelEnvelope`.
    case levels(ofSong: String)
    /// Songs of the library: at most so many that fit the query, the best first, each a line of fields that are
    /// separated by tabs.
    case songs(query: String, limit: Int)
    /// What is wrong with this machine: each finding a line of fields that are separated by tabs.
    case findings
}

public enum MusicLookupResult: Hashable, Sendable {
    /// At most `WireLimits.findingByteCount` bytes; more are not sent.
    case found([UInt8])
    /// The reason is for people on other machines; empty where there simply is none.
    case nothing(reason: String)
}

/// Answers what others look up on this machine: ``BroadcastOptions/lookups``, ``JoinOptions/lookups``. What they see is
/// what it returns.
public protocol MusicLookups: Sendable {
    /// Blocks; called on three threads at a time at most. Paths are of files of this machine.
    func find(_ lookup: MusicLookup) -> MusicLookupResult

    /// Makes every ``find(_:)`` end at once, also those to come.
    func stop()
}
