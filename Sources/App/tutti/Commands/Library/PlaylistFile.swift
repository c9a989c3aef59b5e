import Glibc
import Songs
import TuttiRuntime

/// An M3U8 file of the user's choice, which is written whole, or not at all.
struct PlaylistFile {
    private let directory: StateDirectory
    private let name: String
    /// Its directory by the user's own name, which may lead over symbolic links.
    private let namedDirectory: String

    /// Refuses names that promise another form.
    static func check(_ file: String) throws(UsageError) {
        guard Playlist.Kind(fileName: file) == .m3u else {
            throw UsageError("'\(file)' will be an M3U8 file: let its name end in .m3u8")
        }
    }

    /// A file's name without directory and extension.
    static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }

    /// - Throws: if there is such a file, and it is not to be replaced, or if its directory is not there.
    init(path: String, isReplaced: Bool) throws(RuntimeFailure) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
            throw RuntimeFailure(.cannotCreate, .other("'\(path)' is no file; leave it out for standard output"))
        }
        guard !isThere || isReplaced else {
            throw RuntimeFailure(.cannotCreate, .other("'\(path)' exists; --force replaces it"))
        }
        // What a link leads to is replaced, not the link.
        let target = isThere ? AbsolutePath.real(path) ?? path : path
        guard let name = target.split(separator: "/").last,
            let directory = AbsolutePath.real(FileName.join(FileName.directory(of: target), "."))
        else {
            throw RuntimeFailure(
                .cannotCreate, .other("cannot write '\(path)': \(String(cString: strerror(errno)))"))
        }
        (self.directory, self.name) = (StateDirectory(path: directory), String(name))
        let named = FileName.directory(of: AbsolutePath.of(path))
        namedDirectory = AbsolutePath.real(named) == directory ? named : directory
    }

    /// - Parameter isRelative: whether songs below its directory are named from there.
    /// - Returns: how many songs are named from the root on.
    @discardableResult
    func write(_ songs: [PlaylistSong], isRelative: Bool) throws(RuntimeFailure) -> Int {
        let songs = isRelative ? songs.map(placed) : songs
        let text = Playlist.m3u8(songs, relativeTo: isRelative ? directory.path : nil)
        do throws(StateError) { try directory.write(Array(text.utf8), to: name, mode: 0o666) } catch {
            throw RuntimeFailure(.cannotCreate, .other("\(error)"))
        }
        return songs.count {
            $0.address.utf8.first == UInt8(ascii: "/")
                && !(isRelative && Self.isPath($0.address, below: directory.path))
        }
    }

    /// Returns a song by its name below the directory, if it lies there by whichever way.
    private func placed(_ song: PlaylistSong) -> PlaylistSong {
        let address = song.address
        guard address.utf8.first == UInt8(ascii: "/"), !Self.isPath(address, below: directory.path) else { return song }
        var placed = song
        if Self.isPath(address, below: namedDirectory) {
            let rest = address.utf8.dropFirst(namedDirectory.utf8.count).drop { $0 == UInt8(ascii: "/") }
            placed.address = FileName.join(directory.path, String(decoding: rest, as: UTF8.self))
        } else if let real = AbsolutePath.real(FileName.directory(of: address)),
            let name = address.split(separator: "/").last
        {
            placed.address = FileName.join(real, String(name))
        }
        return Self.isPath(placed.address, below: directory.path) ? placed : song
    }

    private static func isPath(_ path: String, below directory: String) -> Bool {
        path.utf8.starts(with: directory.utf8.last == UInt8(ascii: "/") ? directory.utf8 : (directory + "/").utf8)
    }
}
