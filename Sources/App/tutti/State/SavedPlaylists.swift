import AudioCore
import Glibc
import Songs
import TuttiRuntime

/// This user's playlists: M3U8 files in `$XDG_DATA_HOME/tutti/playlists` (XDG Base Directory Specification;
/// `~/.local/share/tutti/playlists` by default), which other players can read.
///
/// They are replaced whole: whatever fails, a list is the old or the new one.
struct SavedPlaylists {
    /// What becomes of a list that is there already.
    enum Overwriting: Hashable {
        case refused, replacing, appending
    }

    private static let fileExtension = ".m3u8"
    private static let limitReading = "\(Playlist.byteCountLimit >> 20) MiB"

    let directory: StateDirectory

    static func standard() throws(RuntimeFailure) -> SavedPlaylists {
        if let data = StateDirectory.data() {
            return SavedPlaylists(directory: StateDirectory(path: data.path(of: "playlists")))
        }
        throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for playlists"))
    }

    func path(of name: PlaylistName) -> String { directory.path(of: Self.fileName(name)) }

    private static func fileName(_ name: PlaylistName) -> String { name.text + fileExtension }

    // MARK: Reading

    /// In alphabetical order.
    func names() throws(RuntimeFailure) -> [PlaylistName] {
        guard access(directory.path, F_OK) == 0 else { return [] }
        let listing: DirectoryListing
        do throws(SongFailure) { listing = try DirectoryListing(directory.path) } catch { throw RuntimeFailure(error) }
        return listing.files.filter { $0.hasSuffix(Self.fileExtension) }
            .compactMap { try? PlaylistName(String($0.dropLast(Self.fileExtension.count))) }
            .sorted { ($0.text.lowercased(), $0.text) < ($1.text.lowercased(), $1.text) }
    }

    /// Returns the songs of a list as it names them: absolute paths and URLs.
    func songs(of name: PlaylistName) throws(RuntimeFailure) -> [String] { try entries(of: name).map(\.address) }

    /// Returns the songs of a list with what it says of them: absolute paths and URLs.
    func entries(of name: PlaylistName) throws(RuntimeFailure) -> [Playlist.Entry] {
        guard let bytes = try bytesIfThere(of: name) else { throw try unknown(name) }
        return Playlist(bytes, kind: .m3u).songs.map {
            Playlist.Entry(address: address($0.address), title: $0.title, duration: $0.duration)
        }
    }

    /// Returns the songs of a list that can be played, and warns in a line of those that are gone.
    /// - Throws: if there is no such list, or none of its songs is there.
    func songsThere(of name: PlaylistName) throws(RuntimeFailure) -> [String] {
        guard try bytesIfThere(of: name) != nil else { throw try unknown(name) }
        let collection: SongCollection
        do throws(SongFailure) { collection = try SongCollection([path(of: name)]) } catch {
            throw RuntimeFailure(error)
        }
        for problem in collection.problems { SessionRunner.warn(problem) }
        let gone = collection.songs.filter { Self.isGone($0) }
        guard let first = gone.first else { return collection.songs }
        guard gone.count < collection.songs.count else {
            throw RuntimeFailure(
                .missingInput,
                .other("none of the songs of playlist '\(name.text)' is there; the first is '\(first)'"))
        }
        SessionRunner.warn(
            "\(gone.count) of \(collection.songs.count) songs of playlist '\(name.text)' are not there, the first is "
                + "'\(first)'")
        return collection.songs.filter { !Self.isGone($0) }
    }

    /// Whether there is no file where a song should be. Of a URL nobody is asked.
    static func isGone(_ address: String) -> Bool {
        guard address.utf8.first == UInt8(ascii: "/") else { return false }
        var status = stat()
        return stat(address, &status) != 0
    }

    private func bytesIfThere(of name: PlaylistName) throws(RuntimeFailure) -> [UInt8]? {
        let bytes: [UInt8]?
        do throws(StateError) {
            bytes = try directory.read(Self.fileName(name), limit: Playlist.byteCountLimit + 1)
        } catch {
            throw RuntimeFailure(.missingInput, .other("\(error)"))
        }
        guard let bytes, bytes.count > Playlist.byteCountLimit else { return bytes }
        throw RuntimeFailure(
            .unusableInput,
            .other("playlist '\(name.text)' has more than \(Self.limitReading), too large for a list"))
    }

    /// - Parameter entry: as a list names it: from its own directory.
    private func address(_ entry: String) -> String {
        switch try? SongAddress(entry) {
        case .file(let path): FileName.join(directory.path, path)
        case .standardInput: directory.path(of: entry)
        case .url, nil: entry
        }
    }

    private func unknown(_ name: PlaylistName) throws(RuntimeFailure) -> RuntimeFailure {
        let near = name.text.nearest(among: try names().map(\.text)).map { "did you mean '\($0)'?" }
        return RuntimeFailure(
            .missingInput,
            .other("there is no playlist '\(name.text)'; " + (near ?? "'tutti playlist' lists those that there are")))
    }

    // MARK: Writing

    /// Saves songs under a name. What is appended to stays as it is, also what other programs wrote there.
    /// - Parameter songs: by absolute paths and URLs.
    /// - Returns: how many songs are in the list now.
    @discardableResult
    func save(
        _ songs: [PlaylistSong], as name: PlaylistName, _ overwriting: Overwriting
    ) throws(RuntimeFailure) -> Int {
        let outcome = try run { () throws(StateError) in
            try directory.exclusively { () throws(RuntimeFailure) -> Int in
                let bytes = Playlist.appending(songs, to: try formerBytes(of: name, overwriting))
                try check(byteCount: bytes.count, name)
                try write(bytes, name)
                return Playlist(bytes, kind: .m3u).songs.count
            }
        }
        do throws(RuntimeFailure) { return try outcome.get() } catch { throw error }
    }

    /// Replaces what a link leads to, not the link.
    private func write(_ bytes: [UInt8], _ name: PlaylistName) throws(RuntimeFailure) {
        let path = path(of: name)
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            return try run { () throws(StateError) in try directory.write(bytes, to: Self.fileName(name)) }
        }
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let target = AbsolutePath.real(path),
            let file = target.split(separator: "/").last
        else {
            throw RuntimeFailure(
                .cannotCreate, .other("'\(path)' is a symbolic link to what is no file or not there; remove the link"))
        }
        let holder = StateDirectory(path: FileName.directory(of: target))
        let mode = status.st_mode & 0o777 | 0o600
        try run { () throws(StateError) in try holder.write(bytes, to: String(file), mode: mode) }
    }

    private func formerBytes(
        of name: PlaylistName, _ overwriting: Overwriting
    ) throws(RuntimeFailure) -> [UInt8] {
        switch overwriting {
        case .replacing: return []
        case .appending: return try bytesIfThere(of: name) ?? []
        case .refused:
            guard access(path(of: name), F_OK) == 0 else { return [] }
            throw RuntimeFailure(
                .cannotCreate,
                .other("there is a playlist '\(name.text)'; --force replaces it, --append adds to it"))
        }
    }

    func remove(_ name: PlaylistName) throws(RuntimeFailure) {
        guard access(path(of: name), F_OK) == 0 else { throw try unknown(name) }
        try run { () throws(StateError) in try directory.remove(Self.fileName(name)) }
    }

    private func check(byteCount: Int, _ name: PlaylistName) throws(RuntimeFailure) {
        guard byteCount > Playlist.byteCountLimit else { return }
        throw RuntimeFailure(
            .unusableInput,
            .other(
                "playlist '\(name.text)' would have more than \(Self.limitReading), too many songs for one list"))
    }

    private func run<Value>(_ body: () throws(StateError) -> Value) throws(RuntimeFailure) -> Value {
        do throws(StateError) { return try body() } catch { throw RuntimeFailure(.cannotCreate, .other("\(error)")) }
    }
}
