import Glibc
import Songs

/// Makes a source of bytes from what the user named.
enum SongSource {
    /// - Parameters:
    ///   - raw: the format of samples without a header.
    ///   - reach: where a URL may lead.
    /// - Throws: what is wrong with the name, or with what it names; nothing is known of a server yet.
    static func make(
        _ name: String, raw: RawPCMFormat?, reach: HTTPReach = .anywhere
    ) throws(SongFailure) -> sending any ByteSource {
        let source = try make(try SongAddress(name), reach)
        return raw.map { RawPCMSource(source, format: $0) } ?? source
    }

    private static func make(
        _ address: SongAddress, _ reach: HTTPReach
    ) throws(SongFailure) -> sending any ByteSource {
        switch address {
        case .standardInput: return try PipeSource.standardInput()
        case .url(let url): return try HTTPSource(url: url, reach: reach)
        case .file(let path):
            if isPipe(path) { return try PipeSource(fifo: path) }
            return FileSource(try SongFile(path: path))
        }
    }

    /// Returns the path of a song that is a file of this machine; nil for others.
    static func path(ofFile name: String) -> String? {
        guard case .file(let path)? = try? SongAddress(name), !isPipe(path) else { return nil }
        return path
    }

    /// Returns whether a FIFO is behind the path. Whoever opens and closes one ends its writer.
    static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
