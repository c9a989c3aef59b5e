import Glibc

/// A song that was played through.
struct Play: Hashable, Sendable {
    let path: String
    let unixSeconds: Int64
}

/// How often songs were played through, and when last: the content of a file with lines of two kinds.
///
///     1700000000<tab>/music/song.mp3           one play: when, and of which song
///     1700000000<tab>12<tab>/music/song.mp3    several: when last, how many, and of which song
///
/// A path begins with a slash, so it is no number. A line that is not ended was cut short, and says nothing.
struct PlayCounts {
    struct Song: Hashable {
        var count: Int
        /// Seconds since 1970.
        var last: Int64
    }

    /// The most songs that are kept; those go whose last play is the longest ago.
    static let songLimit = 100_000
    /// The most bytes of a line without its end: two numbers, two tabs, and as long a path as the system allows.
    static let lineByteLimit = 32 + Int(PATH_MAX)

    private static let countLimit = 1_000_000_000
    /// The end of the year 9999.
    private static let timeLimit = 253_402_300_799
    private static let newline = UInt8(ascii: "\n")
    private static let tab = UInt8(ascii: "\t")

    /// By the bytes of their paths, as file systems have them.
    private(set) var songs: [[UInt8]: Song] = [:]
    /// Whether there was something, and nothing of it can be understood.
    private(set) var isDamaged = false

    var isEmpty: Bool { songs.isEmpty }
    var songCount: Int { songs.count }
    var playCount: Int { songs.values.reduce(0) { $0 + $1.count } }

    /// - Parameter path: an absolute one.
    subscript(path: String) -> Song? { songs[Array(path.utf8)] }

    init() {}

    /// Lines that cannot be understood are passed over.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var isBroken = false
        while let end = rest.firstIndex(of: Self.newline) {
            if !add(line: rest[..<end]), end > rest.startIndex { isBroken = true }
            rest = rest[(end + 1)...]
        }
        isDamaged = songs.isEmpty && (isBroken || rest.count > Self.lineByteLimit)
    }

    /// - Returns: false for a line that makes no sense.
    private mutating func add(line: ArraySlice<UInt8>) -> Bool {
        guard let (last, rest) = Self.number(line, atMost: Self.timeLimit) else { return false }
        if rest.first == UInt8(ascii: "/") { return add(path: rest, Song(count: 1, last: Int64(last))) }
        guard let (count, path) = Self.number(rest, atMost: Self.countLimit), count > 0,
            path.first == UInt8(ascii: "/")
        else { return false }
        return add(path: path, Song(count: count, last: Int64(last)))
    }

    private mutating func add(path: ArraySlice<UInt8>, _ plays: Song) -> Bool {
        let key = Array(path)
        if let known = songs[key] {
            let count = min(known.count + plays.count, Self.countLimit)
            songs[key] = Song(count: count, last: max(known.last, plays.last))
            return true
        }
        guard key.count <= Int(PATH_MAX), !key.contains(0), String(validating: key, as: UTF8.self) != nil else {
            return false
        }
        songs[key] = plays
        return true
    }

    /// Returns a number in decimal digits, and what follows the tab behind it.
    private static func number(
        _ bytes: ArraySlice<UInt8>, atMost limit: Int
    ) -> (value: Int, rest: ArraySlice<UInt8>)? {
        guard let end = bytes.prefix(20).firstIndex(of: tab), end > bytes.startIndex else { return nil }
        var value = 0
        for byte in bytes[..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value <= limit else { return nil }
        }
        return (value, bytes[(end + 1)...])
    }

    // MARK: Writing

    /// Returns the line of one play; nil for a path that no line can hold: one that is not absolute, is too long, or
    /// has a line break.
    static func line(_ play: Play) -> [UInt8]? {
        let path = Array(play.path.utf8)
        guard path.first == UInt8(ascii: "/"), path.count <= Int(PATH_MAX), !path.contains(newline) else { return nil }
        return Array("\(min(max(0, play.unixSeconds), Int64(timeLimit)))\t".utf8) + path + [newline]
    }

    /// Returns a line for each song, the one that was played last first.
    /// - Parameters:
    ///   - songLimit: the most songs.
    ///   - byteLimit: the most bytes.
    func compacted(songLimit: Int = Self.songLimit, byteLimit: Int) -> [UInt8] {
        let latest = songs.sorted { first, second in
            first.value.last == second.value.last
                ? first.key.lexicographicallyPrecedes(second.key) : first.value.last > second.value.last
        }
        var bytes: [UInt8] = []
        for (path, song) in latest.prefix(songLimit) {
            let line = Array("\(song.last)\t\(song.count)\t".utf8) + path + [Self.newline]
            guard bytes.count + line.count <= byteLimit else { break }
            bytes += line
        }
        return bytes
    }
}
