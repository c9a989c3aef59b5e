import AudioCore
import MusicLibrary
import WireProtocol

extension FoundSong {
    /// What is known of the song; unknown values are null.
    public var members: [JSONValue.Member] {
        let numbers = [("disc", disc), ("track", track), ("year", year)]
        let texts = [
            ("artist", artist), ("album", album), ("albumArtist", albumArtist), ("composer", composer),
            ("genre", genre),
        ]
        return [.init(key: "path", value: .string(path)), .init(key: "title", value: .string(title))]
            + texts.map { .init(key: $0.0, value: .optional($0.1)) }
            + numbers.map { .init(key: $0.0, value: .optional($0.1.map(Int64.init))) }
            + [.init(key: "seconds", value: duration.map { .number($0.seconds, decimals: 3) } ?? .null)]
    }

    public var json: JSONValue { .object(members) }

    /// Returns the songs that a lookup found: lines of a peer's. What is none is left out, as is what is too much.
    public static func songs(found bytes: [UInt8]) -> [FoundSong] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(WireLimits.foundSongCount)
            .compactMap { FoundSong(line: $0) }
    }
}

extension JSONValue {
    /// `{"songs":[...]}`, of what a lookup found.
    public static func songs(_ songs: [FoundSong]) -> JSONValue { .object(["songs": .array(songs.map(\.json))]) }
}
