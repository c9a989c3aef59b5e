import AudioCore
import Glibc

// From the names that a user gives to songs in order.
//
//     file       ─> itself, whatever its name
//     directory  ─> the songs in it, by album, disc, track and name; then its subdirectories, by name
//     playlist   ─> its entries, in order: files, directories, other playlists
//
// A file named by the user or by a playlist is taken unchecked: playing it shows what is wrong with it. In a directory
// the extension decides, because covers and booklets are there, too. Symbolic links are followed; a directory or a
// playlist that contains itself is entered once.

/// Finds the songs in files, directories and playlists. Reads the disk; blocks.
public struct SongCollection {
    /// Extensions of songs in a directory, in lower case.
    public static let songExtensions: Set<String> = [
        "mp3", "mp2", "mp1", "mpga", "aac", "m4a", "m4b", "m4r", "mp4", "3gp", "3g2", "flac", "wav", "wave", "rf64",
        "bw64", "aif", "aiff", "aifc", "caf", "au", "snd", "ogg", "oga", "opus", "ac3", "amr", "awb",
    ]
    /// The most songs in a collection, and the most entries in a directory.
    public static let countLimit = 100_000
    /// The most directories and playlists to read: links and lists that refer to each other may have more paths than
    /// time allows.
    static let holderCountLimit = 10_000
    /// The largest depth of nested directories and playlists.
    static let depthLimit = 32
    /// The most lines about skipped entries; the last line counts the rest.
    static let problemLimit = 20

    /// Paths and URLs of songs, and `-` for standard input, in order.
    public private(set) var songs: [String] = []
    /// What playlists say of songs, by the song as it is in ``songs``.
    public private(set) var listed: [String: Playlist.Entry] = [:]
    /// What was skipped and why: one line each.
    public var problems: [String] {
        let rest = problemCount - firstProblems.count
        return rest == 0 ? firstProblems : firstProblems + ["\(rest) more could not be used"]
    }

    private var firstProblems: [String] = []
    private var problemCount = 0
    /// The directories and playlists being read, from the outermost to the current one.
    private var way: [FileIdentity] = []
    private var holderCount = 0
    private let isStopped: () -> Bool

    /// - Parameters:
    ///   - paths: the names that the user gave.
    ///   - isStopped: called for each entry; the collection ends when it returns true.
    /// - Throws: if one of `paths` is a directory or a playlist that cannot be read or contains no song.
    public init(_ paths: [String], isStopped: @escaping () -> Bool = { false }) throws(SongFailure) {
        self.isStopped = isStopped
        for path in paths {
            let (songCount, olderProblemCount) = (songs.count, firstProblems.count)
            guard let holder = try add(path), songs.count == songCount, !isStopped() else { continue }
            let problem = firstProblems.dropFirst(olderProblemCount).last
            throw SongFailure(.missing, problem ?? holder.objectionWhenEmpty(path))
        }
    }

    /// Adds a song, or the songs in a container.
    /// - Returns: the kind of container; nil for a song.
    private mutating func add(_ name: String) throws(SongFailure) -> Holder? {
        guard case .file(let path) = try SongAddress(name) else {
            append(name)
            return nil
        }
        var status = stat()
        guard stat(path, &status) == 0, let holder = Holder(path: path, status: status) else {
            append(path)
            return nil
        }
        let identity = FileIdentity(status)
        guard !way.contains(identity) else { return holder }
        guard way.count < Self.depthLimit else {
            pass("'\(path)' lies \(Self.depthLimit) levels deep; name it by itself")
            return holder
        }
        guard holderCount < Self.holderCountLimit else {
            pass("'\(path)' is one directory or playlist too many")
            return holder
        }
        holderCount += 1
        way.append(identity)
        defer { way.removeLast() }
        switch holder {
        case .directory: try addDirectory(path)
        case .playlist(let kind): try addPlaylist(path, kind)
        }
        return holder
    }

    private mutating func append(_ song: String) {
        if songs.count < Self.countLimit { songs.append(song) } else { pass("'\(song)' is one song too many") }
    }

    private mutating func pass(_ problem: String) {
        problemCount += 1
        if firstProblems.count < Self.problemLimit { firstProblems.append(problem.withoutCredentials) }
    }

    /// Like ``add(_:)``, for names not given by the user: errors are reported and the entry is skipped.
    private mutating func addInner(_ path: String) {
        do throws(SongFailure) { _ = try add(path) } catch { pass(error.message) }
    }

    private mutating func addDirectory(_ path: String) throws(SongFailure) {
        let listing = try DirectoryListing(path)
        if listing.isCut { pass("'\(path)' holds more than \(Self.countLimit) files: the rest is passed over") }
        if listing.unreadableCount > 0 {
            pass("'\(path)' holds \(listing.unreadableCount) names that are not UTF-8: passed over")
        }
        var songs: [(path: String, order: SongOrder)] = []
        for name in listing.files where Self.isSong(name) {
            if isStopped() { return }
            let song = FileName.join(path, name)
            songs.append((song, SongOrder(path: song, name: name)))
        }
        songs.sort { $0.order < $1.order }
        for song in songs { append(song.path) }
        for name in listing.directories.sorted(by: { NaturalOrder($0) < NaturalOrder($1) }) {
            if isStopped() { return }
            addInner(FileName.join(path, name))
        }
    }

    /// Whether a file of this name is taken for a song.
    public static func isSong(_ name: String) -> Bool {
        FileName.pathExtension(of: name).map(songExtensions.contains) ?? false
    }

    private mutating func addPlaylist(_ path: String, _ kind: Playlist.Kind) throws(SongFailure) {
        let directory = FileName.directory(of: path)
        for entry in try Playlist(path: path, kind: kind).songs {
            if isStopped() { return }
            do throws(SongFailure) {
                let name =
                    switch try SongAddress(entry.address) {
                    case .url(let url): url
                    case .file(let file): FileName.join(directory, file)
                    // In a playlist, "-" is a file of that name.
                    case .standardInput: FileName.join(directory.isEmpty ? "." : directory, entry.address)
                    }
                if entry.title != nil || entry.duration != nil { listed[name] = entry }
                addInner(name)
            } catch {
                pass("'\(path)' names \(error.message)")
            }
        }
    }
}

/// What contains songs without being one.
private enum Holder {
    case directory
    case playlist(Playlist.Kind)

    init?(path: String, status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: self = .directory
        case S_IFREG:
            guard let kind = Playlist.Kind(fileName: path) else { return nil }
            self = .playlist(kind)
        default: return nil
        }
    }

    func objectionWhenEmpty(_ path: String) -> String {
        switch self {
        case .directory: "'\(path)' holds no songs, nor do its subdirectories; name another directory, or a song"
        case .playlist: "'\(path)' names no songs; a playlist has a path on each line (M3U) or File1=... (PLS)"
        }
    }
}
