import Songs

/// Playlists as servers send them. A list names addresses of servers, never files of this machine; what it names is a
/// list of its own again.
struct PlaylistRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    /// Where a list may come from, and what an entry that names no server must begin with.
    private static let bases: [(url: String, server: String)] = [
        ("http://radio.example/dir/list.m3u", "http://radio.example/"),
        ("https://user@radio.example:8000/list?a=/b/c#/d", "https://user@radio.example:8000/"),
        ("http://radio.example", "http://radio.example/"), ("http://[::1]:80/?", "http://[::1]:80/"),
    ]

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        let kind: Playlist.Kind = setting & 1 == 0 ? .m3u : .pls
        let base = Self.bases[Int(setting >> 1) % Self.bases.count]
        let bytes = reader.remainder()
        let entries = Playlist(bytes, kind: kind).entries
        if let violation = Self.violation(in: entries) { return violation }
        for entry in entries {
            if let violation = Self.violation(of: entry, base) { return violation }
        }
        let failure = HTTPPlaylist.finding(in: bytes, kind, url: base.url, name: "'list'")
        guard case .list(let songs) = failure.kind else {
            return failure.kind == .unusable ? nil : "\(failure)"
        }
        guard (1...HTTPPlaylist.songLimit).contains(songs.count) else {
            return "a list of \(songs.count) songs"
        }
        return songs.first { !Self.isOnServer($0) }.map { "a list names '\($0)'" }
    }

    /// What a list names are lines, and a list of the same lines names the same.
    private static func violation(in entries: [String]) -> String? {
        if let entry = entries.first(where: { $0.isEmpty || $0.contains(where: \.isNewline) }) {
            return "'\(entry)' is no entry"
        }
        // Behind a comment, so that no entry stands where a byte order mark would.
        let text = "#\n" + entries.joined(separator: "\r\n")
        let files = entries.enumerated().map { "File\($0.offset + 1)=\($0.element)\n" }
        // An entry of PLS may look like a comment of M3U.
        let lines = entries.filter { !$0.hasPrefix("#") }
        if Playlist(Array(text.utf8), kind: .m3u).entries != lines {
            return "another M3U list when it is written again"
        }
        // One that begins with an accent would make another character of the sign before it.
        guard entries.allSatisfy({ ("=" + $0).first == "=" }) else { return nil }
        return Playlist(Array(("#\n" + files.joined()).utf8), kind: .pls).entries == entries
            ? nil : "another PLS list when it is written again"
    }

    private static func violation(of entry: String, _ base: (url: String, server: String)) -> String? {
        let song = HTTPAddress.resolved(entry, against: base.url)
        let isRelative = SongAddress.scheme(of: entry) == nil
        if !isRelative, song != entry { return "'\(entry)' becomes '\(song)'" }
        if isRelative, !entry.utf8.starts(with: "//".utf8), !song.utf8.starts(with: base.server.utf8) {
            return "'\(entry)' is on another server: '\(song)'"
        }
        if HTTPAddress.resolved(song, against: base.url) != song {
            return "'\(song)' is another one behind itself"
        }
        let encoded = HTTPAddress.encoded(song)
        if !encoded.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return "'\(encoded)' is no address"
        }
        return HTTPAddress.encoded(encoded) == encoded ? nil : "'\(encoded)' is encoded once more"
    }

    private static func isOnServer(_ song: String) -> Bool {
        let text = song.utf8.prefix(8).map { $0 | 0x20 }
        return text.starts(with: "http://".utf8.map { $0 | 0x20 })
            || text.starts(with: "https://".utf8.map { $0 | 0x20 })
    }
}

extension PlaylistRun {
    static var seeds: [[UInt8]] {
        let lists = [
            "#EXTM3U\r\n#EXTINF:-1,A\r\nhttp://a.example/1.mp3\r\n../b.mp3\r\n/c.mp3\r\n//d.example/e\r\nfile:///x\r\n",
            "\u{FEFF}http://a.example/ü 1.mp3\n\n  x  \n#EXT-X-TARGETDURATION:3\n",
        ]
        let pls =
            "[playlist]\nFile2=b.mp3\nTitle1=x\nfile1 = https://a.example/a\nNumberOfEntries=2\nFile3=-\nFile-1=y\n"
        return lists.enumerated().map { [UInt8($0.offset * 2)] + Array($0.element.utf8) } + [
            [5] + Array(pls.utf8)
        ]
            + [[4] + Array("http://x/".utf8) + [0xFC, 10, 0xFF]]
    }
}
