extension Playlist {
    /// Reads a file that the user named as a playlist.
    init(path: String, kind: Kind) throws(SongFailure) {
        let file: SongFile
        do throws(SongFailure) { file = try SongFile(path: path) } catch {
            // An empty file is an empty list.
            guard error.kind != .unusable else {
                self.init([], kind: kind)
                return
            }
            throw error
        }
        guard file.byteCount <= Self.byteCountLimit else {
            throw SongFailure(
                .unusable,
                "'\(path)' is larger than \(Self.byteCountLimit >> 20) MiB, too large for a playlist; name its songs")
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.byteCount), alignment: 1)
        defer { buffer.deallocate() }
        let count = try file.read(into: buffer, at: 0)
        self.init(Array(buffer[..<count]), kind: kind)
    }
}
