/// A list of songs that came instead of a song.
package enum HTTPPlaylist {
    static let byteCountLimit = 256 * 1024
    package static let songLimit = 1_000

    /// Returns the error to report for a playlist: the songs that it names, or why there are none.
    package static func finding(in bytes: [UInt8], _ kind: Playlist.Kind, url: String, name: String) -> SongFailure {
        let text = String(decoding: bytes, as: UTF8.self)
        // RFC 8216: the "songs" of such a list are segments of a few seconds.
        guard !text.contains("#EXT-X-TARGETDURATION"), !text.contains("#EXT-X-STREAM-INF") else {
            return SongFailure(.unusable, "\(name) is HTTP Live Streaming, which cannot be played")
        }
        // A stranger's list cannot name files of this machine.
        let songs = Playlist(bytes, kind: kind).entries.prefix(songLimit).compactMap { entry -> String? in
            let song = HTTPAddress.resolved(entry, against: url)
            return ["http", "https"].contains(SongAddress.scheme(of: song)) ? song : nil
        }
        guard !songs.isEmpty else { return SongFailure(.unusable, "\(name) is a playlist that names no songs") }
        return SongFailure(.list(songs), "\(name) is a playlist; name its songs")
    }
}
