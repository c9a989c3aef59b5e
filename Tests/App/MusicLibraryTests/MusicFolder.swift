import AudioCore
import Glibc
import LANKit
import StreamTestKit

@testable import MusicLibrary

/// A folder of songs, and a place for its index beside it.
final class MusicFolder {
    private let directory = TemporaryDirectory()

    init() {
        for path in [folder, directory.path + "/cache"] { mkdir(path, 0o755) }
    }

    var folder: String { directory.path + "/music" }
    var indexPath: String { directory.path + "/cache/library.sqlite" }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// What a JPEG begins with.
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

    /// Writes an MP3 with tags, by the names of ID3v2's frames, and makes its directories.
    /// - Parameter picture: bytes of the one in it.
    func song(_ name: String, _ tags: KeyValuePairs<String, String>, picture: [UInt8]? = nil) throws {
        var tag = ID3v2Writer(majorVersion: 4)
        for (id, text) in tags { tag.add(id, [3] + Array(text.utf8)) }
        if let picture { tag.add("APIC", [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture) }
        try put(name, tag.bytes + MPEGWriter().frames(4).flatMap { $0 })
    }

    func put(_ name: String, _ bytes: [UInt8]) throws {
        var parent = folder
        for part in name.split(separator: "/").dropLast() {
            parent += "/" + part
            mkdir(parent, 0o755)
        }
        try Tool.writeFile(path(name), bytes)
    }

    func remove(_ name: String) { _ = system("rm -rf '\(path(name))'") }

    func open() throws(LibraryError) -> MusicIndex { try MusicIndex(path: indexPath) }

    /// An index of what is there now.
    func index() throws(LibraryError) -> MusicIndex {
        let index = try open()
        try index.update(self)
        return index
    }

    /// Runs lines of a shell, in which `tutti` has this folder alone, and returns what they print, with exit codes.
    func run(_ lines: String) throws -> String {
        let directory = TemporaryDirectory()
        let script = """
            export HOME=$PWD XDG_STATE_HOME=$PWD/state XDG_CACHE_HOME=$PWD/cache XDG_DATA_HOME=$PWD/data LC_ALL=C
            tutti() { '\(buildDirectory)/tutti' "$@"; echo "[$?]"; }
            { '\(buildDirectory)/tutti' library add '\(folder)' > first
            \(lines)
            } > out 2>&1
            """
        try Tool.writeFile(directory.path + "/script", Array(script.utf8))
        try Tool.run("timeout --kill-after=5 60 bash -m script", in: directory)
        return String(decoding: try Tool.readFile(directory.path + "/out"), as: UTF8.self)
    }
}

extension MusicIndex {
    @discardableResult
    func update(_ music: MusicFolder) throws(LibraryError) -> UpdateOutcome? {
        try update([music.folder]) { _ in true }
    }

    /// Titles of what is found, as albums are played.
    func titles(_ line: String) throws(LibraryError) -> [String] {
        try search(SearchQuery(line: line), by: .albums).map(\.title)
    }
}
