import Glibc

/// Files of the kernel, and small ones: read whole, up to a limit.
enum SystemFile {
    /// - Returns: nil if it cannot be read.
    static func bytes(_ path: String, limit: Int = 256 * 1_024) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 32 * 1_024)
        while bytes.count < limit {
            let count = read(file, &piece, min(piece.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// The lines of a text file; empty if it cannot be read.
    static func lines(_ path: String) -> [Substring] {
        bytes(path).map { String(decoding: $0, as: UTF8.self).split(separator: "\n") } ?? []
    }

    /// The first line of a file; nil if it cannot be read or is empty.
    static func word(_ path: String) -> String? { lines(path).first.map { String(heard: String($0)) } }

    /// The names in a directory, at most so many; empty if it cannot be read.
    static func names(in path: String, limit: Int = 65_536) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            // d_name is as long as the name.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Where a symbolic link leads; nil if it cannot be read.
    static func target(of path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
