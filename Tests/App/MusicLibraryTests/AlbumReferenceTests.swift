import StreamTestKit
import Testing

@testable import MusicLibrary
@testable import tutti

/// Under random changes albums come in the order that looking at each song gives, and each is found once.
@Suite(.timeLimit(.minutes(5)))
struct AlbumReferenceTests {
    private static let names = [
        "the kinks": "kinks", "abba": "abba", "a camp": "camp", "an horse": "horse", "zaz": "zaz",
        variousArtists: "various artists",
    ]
    private static let variousArtists = "Various Artists"
    private static let pictures = ["cover.jpg", "Folder.png", "front.gif"]
    private static let sorts = ["kinks, the", "abba", "m", "aa", "zz"]

    private struct Song {
        var directory: String
        var name: String
        var artist: String
        var albumArtist: String?
        var album: String?
        var artistSort: String?
        var albumArtistSort: String?
        var albumSort: String?
        var track: Int?
        var disc: Int?
        var isCompilation: Bool
        var hasPicture: Bool

        var tags: [(String, String?)] {
            [
                ("TIT2", "x"), ("TPE1", artist), ("TPE2", albumArtist), ("TALB", album), ("TSOP", artistSort),
                ("TSO2", albumArtistSort), ("TSOA", albumSort), ("TRCK", track.map { "\($0)" }),
                ("TPOS", disc.map { "\($0)" }), ("TCMP", isCompilation ? "1" : nil),
            ]
        }

        /// Whatever makes it another album, in one text.
        var identity: String? { album.map { "\($0)/\(albumArtist ?? "in \(directory)")" } }
    }

    /// The orders by which names go: what most songs say, of equally many the first.
    private static func orders(_ sayings: [(name: String, sort: String?)]) -> [String: String] {
        var counts: [String: [String: Int]] = [:]
        for (name, sort) in sayings {
            guard let sort, sort != names[name] else { continue }
            counts[name, default: [:]][sort, default: 0] += 1
        }
        return counts.compactMapValues { $0.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func asByHand(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func maybe<Value>(_ values: [Value]) -> Value? {
            Bool.random(using: &random) ? values.randomElement(using: &random) : nil
        }
        let music = MusicFolder()
        var songs: [String: Song] = [:]
        /// Files that are called like pictures, and whether they are.
        var pictures: [String: Bool] = [:]
        let names = Self.names.keys.sorted()
        let index = try music.open()
        for round in 0..<6 {
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let directory = "\(Int.random(in: 0..<3, using: &random))"
                let name = "\(Int.random(in: 0..<20, using: &random)).mp3"
                guard Int.random(in: 0..<4, using: &random) > 0 else {
                    songs["\(directory)/\(name)"] = nil
                    music.remove("\(directory)/\(name)")
                    continue
                }
                let song = Song(
                    directory: directory, name: name, artist: names.randomElement(using: &random) ?? "",
                    albumArtist: maybe(names), album: maybe(names), artistSort: maybe(Self.sorts),
                    albumArtistSort: maybe(Self.sorts), albumSort: maybe(Self.sorts), track: maybe([1, 2, 3, 10]),
                    disc: maybe([1, 2]), isCompilation: Int.random(in: 0..<6, using: &random) == 0,
                    hasPicture: Bool.random(using: &random))
                songs["\(directory)/\(name)"] = song
                var tag = ID3v2Writer(majorVersion: 4)
                for case (let id, let text?) in song.tags { tag.add(id, [3] + Array(text.utf8)) }
                if song.hasPicture { tag.add("APIC", [0, 0, 3, 0] + MusicFolder.jpeg) }
                // Of another length, as the clock of files may stand still.
                tag.add("TCOM", [3] + Array(String(repeating: "c", count: 500 * round + 500).utf8))
                try music.put("\(directory)/\(name)", tag.bytes + MPEGWriter().frames(4).flatMap { $0 })
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let directory = Int.random(in: 0..<3, using: &random)
                let name = "\(directory)/\(Self.pictures.randomElement(using: &random) ?? "")"
                pictures[name] = maybe([true, true, false])
                music.remove(name)
                guard let isPicture = pictures[name] else { continue }
                try music.put(name, (isPicture ? MusicFolder.jpeg : [1]) + Array(repeating: 0, count: 10 * round))
            }
            try index.update(music)
            try check(index, songs, music, "seed \(seed), round \(round)")
            try check(index, songs, pictures, music, "seed \(seed), round \(round)")
            let anew = try MusicIndex(remaking: music.indexPath + "-anew")
            try anew.update(music)
            try check(anew, songs, music, "seed \(seed), round \(round), made anew")
        }
    }

    private func check(_ index: MusicIndex, _ songs: [String: Song], _ music: MusicFolder, _ place: String) throws {
        let all = Array(songs.values)
        let artists = Self.orders(
            all.map { ($0.artist, $0.artistSort) }
                + all.filter { $0.album != nil }.compactMap { song in
                    song.albumArtist.map { ($0, song.albumArtistSort) }
                })
        func order(_ name: String) -> String { artists[name] ?? Self.names[name] ?? "" }
        let albums = Dictionary(grouping: all.filter { $0.identity != nil }) { $0.identity ?? "" }
        func albumArtist(_ song: Song) -> String? {
            guard let identity = song.identity else { return nil }
            let isCompilation = albums[identity]?.contains(where: \.isCompilation) == true
            return song.albumArtist ?? (isCompilation ? Self.variousArtists : nil)
        }
        let albumOrders = albums.mapValues { songs in
            let title = songs[0].album ?? ""
            return Self.orders(songs.map { (title, $0.albumSort) })[title] ?? Self.names[title] ?? ""
        }
        func key(_ song: Song) -> (String, String) {
            guard let identity = song.identity, let songs = albums[identity] else { return (order(song.artist), "") }
            let artist = albumArtist(song).map(order) ?? songs.map { order($0.artist) }.min() ?? ""
            return (artist, albumOrders[identity] ?? "")
        }
        func number(_ song: Song) -> (Int, Int, String, String) {
            (song.disc ?? 1, song.track ?? .max, song.directory, song.name)
        }
        let found = try index.search(SearchQuery(line: "x"), by: .albums, limit: 10_000)
        let inOrder = found.compactMap { song in songs.first { music.path($0.key) == song.path }?.value }
        #expect(found.map(\.albumArtist) == inOrder.map(albumArtist), "\(place)")
        let byVarious = Set(try index.search(SearchQuery(.artist, Self.variousArtists), limit: 10_000).map(\.path))
        let expected = songs.filter { [$0.value.artist, albumArtist($0.value)].contains(Self.variousArtists) }
        #expect(byVarious == Set(expected.keys.map(music.path)), "\(place)")
        #expect(inOrder.count == songs.count && found.map(\.albumPlace) == Array(found.indices), "\(place)")
        for (one, next) in zip(inOrder, inOrder.dropFirst()) {
            #expect(key(one) <= key(next), "\(place): \(one) before \(next)")
            if one.identity == next.identity, key(one) == key(next) {
                #expect(number(one) < number(next), "\(place): \(one) before \(next)")
            }
        }
        // No album is played in two pieces.
        let pieces = inOrder.map(\.identity).reduce(into: [String?]()) { if $0.last != $1 { $0.append($1) } }
        #expect(pieces.compactMap(\.self).count == albums.count, "\(place)")
        let ranked = try index.search(SearchQuery(line: "x"), limit: 10_000)
        #expect(ranked.sorted { $0.albumPlace < $1.albumPlace }.map(\.path) == found.map(\.path), "\(place)")
        let listed = try index.albums()
        #expect(listed.count == albums.count && Set(listed).count == albums.count, "\(place)")
        let list = try index.albumList(limit: 10_000)
        #expect(list.albums.count == albums.count && list.albums == listed.map(\.album), "\(place)")
        #expect(try index.albumList(limit: 1).albums == Array(list.albums.prefix(1)), "\(place)")
        let loose = songs.values.count { $0.identity == nil }
        #expect(list.looseSongCount == loose, "\(place)")
        #expect(list.albums.reduce(loose) { $0 + $1.songCount } == songs.count, "\(place)")
        // One after the other they are all songs of albums, in the order of a search.
        let inList = try list.albums.flatMap { try index.songs(ofAlbum: $0.id, limit: 10_000).map(\.path) }
        #expect(inList == found.map(\.path).filter(Set(inList).contains), "\(place)")
        for album in list.albums {
            let paths = try index.songs(ofAlbum: album.id, limit: 10_000).map(\.path)
            #expect(!paths.isEmpty && paths == found.map(\.path).filter(Set(paths).contains), "\(place)")
        }
    }
    /// Of each song the picture is known that is found when it is shown.
    private func check(
        _ index: MusicIndex, _ songs: [String: Song], _ pictures: [String: Bool], _ music: MusicFolder, _ place: String
    ) throws {
        let found = try index.search(SearchQuery(line: "x"), limit: 10_000)
        let artwork = Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.artwork) })
        for (name, song) in songs {
            let beside = Self.pictures.map { "\(song.directory)/\($0)" }.first { pictures[$0] == true }
            let expected = song.hasPicture ? .embedded : beside.map { FoundSong.Artwork.folder(path: music.path($0)) }
            #expect(artwork[music.path(name)] == expected, "\(place): \(name)")
            let shown: FoundSong.Artwork? =
                switch ArtworkFinder.Picture(ofSong: music.path(name)) {
                case .bytes: .embedded
                case .file(let path): .folder(path: path)
                case nil: nil
                }
            #expect(shown == expected, "\(place): \(name)")
        }
    }
}
