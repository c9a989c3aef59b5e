import AudioCore
import Glibc
import Songs
import TuttiRuntime
import WireProtocol

/// The songs that somebody adds to a queue, looked at on the machine where they were named: the broadcaster would find
/// out only when a song's turn comes.
struct QueuedSongs {
    private(set) var sources: [ItemSource] = []
    /// What playlists say of them.
    private(set) var listed: [ItemSource: Playlist.Entry] = [:]
    /// What was left out of directories and playlists, and why: one line each.
    private(set) var problems: [String]

    private static let problemLimit = 20

    /// - Parameter found: paths of songs from the index of music, which may be gone meanwhile.
    /// - Throws: if one of the names is of nothing that can be played, or nothing of what lists name, and of what was
    ///   found, is there.
    init(_ names: [String], found: [String] = []) throws(SongFailure) {
        for name in names { try Self.check(name) }
        let collection = try SongCollection(names)
        problems = collection.problems
        var lastFailure: SongFailure?
        var missingCount = 0
        for song in collection.songs + found {
            do throws(SongFailure) {
                try Self.check(song)
                let source = ItemSource(song: song)
                sources.append(source)
                if let entry = collection.listed[song] { listed[source] = entry }
            } catch {
                missingCount += 1
                if missingCount <= Self.problemLimit { problems.append(error.message) }
                lastFailure = error
            }
        }
        if missingCount > Self.problemLimit {
            problems.append("\(missingCount - Self.problemLimit) more could not be used")
        }
        if sources.isEmpty, let lastFailure { throw lastFailure }
    }

    /// Throws what is wrong with a name, as far as this machine can tell without asking others.
    private static func check(_ name: String) throws(SongFailure) {
        switch try SongAddress(name) {
        case .standardInput: return
        case .url(let url):
            guard WebAddress(url) == nil else { return }
            throw SongFailure(
                .missing,
                "'\(url)' cannot be queued: an address has a host, no blanks, and \(WireLimits.addressByteCount) bytes "
                    + "at most")
        case .file(let path): try check(path: path)
        }
    }

    private static func check(path: String) throws(SongFailure) {
        guard ItemSource.absolute(path).utf8.count <= WireLimits.addressByteCount else {
            throw SongFailure(
                .missing, "a path has \(WireLimits.addressByteCount) bytes at most to be queued; move '\(path)'")
        }
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            // Whoever opens and closes a FIFO ends its writer.
            case S_IFDIR, S_IFIFO: return
            // An empty list is told of as a list.
            case S_IFREG where Playlist.Kind(fileName: path) != nil && status.st_size == 0: return
            default: break
            }
        }
        _ = try SongFile(path: path)
    }
}

extension ItemSource {
    /// A song of this machine's user, by its URL or its path.
    init(song: String) {
        if let address = WebAddress(song) {
            self = .web(address)
        } else {
            self = .file(Self.absolute(song))
        }
    }

    /// Returns a path that does not depend on the directory of this process.
    fileprivate static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let directory = getcwd(nil, 0)
        defer { free(directory) }
        return (directory.map { String(cString: $0) } ?? "") + "/" + path
    }
}
