import AudioCore
import NIOCore

/// An item of the queue, as it is shown.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | u32 | |
/// | flags | u8 | bit 0 live, 1 could not be played, 2 a picture was looked for, 3 and found; others are ignored |
/// | duration | i64 | nanoseconds; -1 unknown |
/// | title | text, 256 bytes | |
///
/// Artist and album stand at the end of the message that holds items, behind all its other fields, for each item in the
/// order in which the items stand there. A message that ends before them leaves them unknown: earlier versions send
/// none, and ignore them.
///
/// | field | type | meaning |
/// |---|---|---|
/// | artist, album | text, 256 bytes each | empty: unknown |
public struct QueueItem: Hashable, Sendable {
    public var id: ItemID
    public var title: String
    /// Nil where they are unknown; never empty in what came from a peer.
    public var artist: String?
    public var album: String?
    public var duration: TimeSpan?
    public var isLive: Bool
    /// It could not be played, and is passed over.
    public var hasFailed: Bool
    /// Whether a picture is in the song or beside it. Nil where that is unknown: earlier versions never say.
    public var hasPicture: Bool?

    public init(
        id: ItemID, title: String, artist: String? = nil, album: String? = nil, duration: TimeSpan? = nil,
        isLive: Bool = false, hasFailed: Bool = false, hasPicture: Bool? = nil
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.album = album
        self.duration = duration
        self.isLive = isLive
        self.hasFailed = hasFailed
        self.hasPicture = hasPicture
    }

    /// `Title - Artist`
    public var headline: String { String(headline: title, by: artist) }

    /// Writes all but artist and album.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(id.number)
        let picture: UInt8 = hasPicture.map { $0 ? 12 : 4 } ?? 0
        buffer.writeInteger(UInt8(isLive ? 1 : 0) | UInt8(hasFailed ? 2 : 0) | picture)
        buffer.writeSpan(duration ?? .nanoseconds(-1))
        buffer.writeText(title, limit: Limits.titleByteCount)
    }

    /// Reads all but artist and album.
    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readInteger(as: UInt32.self), let flags = buffer.readInteger(as: UInt8.self),
            let duration = buffer.readSpan(), let title = buffer.readText(limit: Limits.titleByteCount)
        else { return nil }
        self.init(
            id: ItemID(id), title: title, duration: duration >= .zero ? duration : nil, isLive: flags & 1 != 0,
            hasFailed: flags & 2 != 0, hasPicture: flags & 4 != 0 ? flags & 8 != 0 : nil)
    }

    func writeArtistAndAlbum(to buffer: inout ByteBuffer) {
        buffer.writeText(artist ?? "", limit: Limits.titleByteCount)
        buffer.writeText(album ?? "", limit: Limits.titleByteCount)
    }

    /// - Returns: false if they break their layout.
    mutating func readArtistAndAlbum(from buffer: inout ByteBuffer) -> Bool {
        guard let artist = buffer.readText(limit: Limits.titleByteCount),
            let album = buffer.readText(limit: Limits.titleByteCount)
        else { return false }
        self.artist = artist.isEmpty ? nil : artist
        self.album = album.isEmpty ? nil : album
        return true
    }
}
