import CWebPage
import Cryptography
import NIOCore
import WebServer

/// The files of the page, which are within the program; sent small to whoever takes gzip. Used on the server's loop.
struct PageFiles {
    /// A file's bytes as they are sent, in one coding.
    struct Representation: Sendable {
        let bytes: ByteBuffer
        /// A strong entity tag: a digest of these bytes, hence another one for each coding (RFC 9110, section 8.8.3).
        let tag: String

        init(_ bytes: ByteBuffer) {
            self.bytes = bytes
            tag = "\"\(Hashing.sha256(Array(bytes.readableBytesView)).hex.prefix(32))\""
        }
    }

    /// One of them, ready to be served.
    struct File: Sendable {
        let name: String
        let mediaType: String
        let plain: Representation
        private var state = Compression.notTried

        private enum Compression: Sendable {
            case notTried, done(Representation), failed
        }

        init(name: String, mediaType: String, bytes: ByteBuffer) {
            self.name = name
            self.mediaType = mediaType
            plain = Representation(bytes)
        }

        /// The file compressed by gzip, which is done once; nil if there is no memory for it.
        mutating func compressed() -> Representation? {
            if case .notTried = state {
                state = Gzip.compress(plain.bytes).map { .done(Representation($0)) } ?? .failed
            }
            return if case .done(let representation) = state { representation } else { nil }
        }
    }

    /// By their paths.
    private(set) var files: [String: File] = [:]

    init() {
        for index in 0..<cwebpage_file_count() {
            guard let file = cwebpage_file(index)?.pointee else { continue }
            let name = String(cString: file.name)
            files["/" + name] = File(
                name: name, mediaType: String(cString: file.media_type),
                bytes: ByteBuffer(bytes: UnsafeBufferPointer(start: file.bytes, count: file.byte_count)))
        }
    }

    /// Returns what a browser gets at a path; nil if there is no such file. "/" is index.html.
    /// - Parameter codings: the request's Accept-Encoding; nil if it has none.
    mutating func response(at path: String, accepting codings: String?) -> WebResponse? {
        let path = path == "/" ? "/index.html" : path
        guard let file = files[path] else { return nil }
        var headers = [("Vary", "Accept-Encoding")]
        var sent = file.plain
        if ContentCodings.allowGzip(codings), let compressed = files[path]?.compressed() {
            sent = compressed
            headers.append(("Content-Encoding", "gzip"))
        }
        headers.append(("ETag", sent.tag))
        return WebResponse(mediaType: file.mediaType, body: sent.bytes, headers: headers)
    }
}
