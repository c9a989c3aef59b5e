import Cryptography
import NIOCore
import WebPage
import WebServer

/// The files of the page as they are served: packed to whoever takes gzip. Used on the server's loop.
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
        let packed: Representation
        private let byteCount: Int
        private var unpacking = Unpacking.notTried

        private enum Unpacking: Sendable {
            case notTried, done(Representation), failed
        }

        init(_ file: PageFile) {
            name = file.name
            mediaType = Self.mediaType(of: file.name)
            packed = Representation(ByteBuffer(bytes: file.gzip))
            byteCount = file.byteCount
        }

        /// As the Content-Type header has it (RFC 9110, section 8.3).
        private static func mediaType(of name: String) -> String {
            switch name.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            default: "application/octet-stream"
            }
        }

        /// The file as it stands in the folder, which is unpacked once; nil if there is no memory for it.
        mutating func plain() -> Representation? {
            if case .notTried = unpacking {
                unpacking = Gzip.unpack(packed.bytes, byteCount: byteCount).map { .done(Representation($0)) } ?? .failed
            }
            return if case .done(let representation) = unpacking { representation } else { nil }
        }
    }

    /// By their paths.
    private(set) var files = Dictionary(uniqueKeysWithValues: PageFile.all.map { ("/" + $0.name, File($0)) })

    /// Returns what a browser gets at a path; nil if there is no such file. "/" is index.html.
    /// - Parameter codings: the request's Accept-Encoding; nil if it has none.
    mutating func response(at path: String, accepting codings: String?) -> WebResponse? {
        let path = path == "/" ? "/index.html" : path
        guard let file = files[path] else { return nil }
        var headers = [("Vary", "Accept-Encoding")]
        var sent = file.packed
        if !ContentCodings.allowGzip(codings), let plain = files[path]?.plain() {
            sent = plain
        } else {
            headers.append(("Content-Encoding", "gzip"))
        }
        headers.append(("ETag", sent.tag))
        return WebResponse(mediaType: file.mediaType, body: sent.bytes, headers: headers)
    }
}
