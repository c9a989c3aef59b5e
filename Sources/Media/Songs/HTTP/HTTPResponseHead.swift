/// What a server says before the bytes: status and headers of the last response (RFC 9110; Shoutcast's "ICY 200 OK").
package struct HTTPResponseHead: Hashable {
    package private(set) var status = 0
    /// The status in the server's words: "404 Not Found".
    package private(set) var statusText = ""
    package private(set) var isComplete = false
    private var fields: [String: String] = [:]
    /// The target of a redirection, and whether it, or one of several, is unencrypted: versions of libcurl differ in
    /// which they follow. Kept regardless of ``fieldCountLimit``.
    private var location: String?
    private var namesHTTP = false
    /// Header fields beyond this number are ignored.
    package static let fieldCountLimit = 100
    /// Bytes of a line beyond this number are ignored.
    package static let lineByteCount = 4_096

    package init() {}

    /// Takes a header line, with or without its line end. A status line begins a new response.
    package mutating func take(_ line: some Collection<UInt8>) {
        let text = String(decoding: line.prefix(Self.lineByteCount), as: UTF8.self).trimmed
        guard !text.isEmpty else {
            isComplete = true
            return
        }
        if text.hasPrefix("HTTP/") || text.hasPrefix("ICY ") {
            self = HTTPResponseHead()
            statusText = text.drop { $0 != " " }.trimmed
            status = Int(statusText.prefix { $0.isASCII && $0.isNumber }) ?? 0
        } else if let colon = text.firstIndex(of: ":") {
            let (name, value) = (text[..<colon].lowercased(), text[text.index(after: colon)...].trimmed)
            if name == "location" {
                location = value
                // By bytes, as libcurl reads it: an accent behind the colon would make another character of it.
                namesHTTP = namesHTTP || value.utf8.prefix(5).map { $0 | 0x20 } == Array("http:".utf8)
            } else if fields.count < Self.fieldCountLimit {
                fields[name] = value
            }
        }
    }

    package subscript(name: String) -> String? { fields[name] }

    /// Whether this is the final response: what follows is the body, if anything.
    package var isFinal: Bool { isComplete && status >= 200 && redirection == nil }

    /// Whether this redirects to an unencrypted address.
    package var leadsToHTTP: Bool { redirection != nil && namesHTTP }

    private var redirection: String? { (300..<400).contains(status) ? location : nil }

    /// The media type in lower case, without parameters.
    var contentType: String {
        (fields["content-type"]?.prefix { $0 != ";" }.trimmed ?? "").lowercased()
    }

    package var contentLength: Int64? { fields["content-length"].flatMap(Int64.init).flatMap { $0 >= 0 ? $0 : nil } }

    /// The first byte of a partial response, and the size of the whole (RFC 9110 section 14.4).
    package var range: (start: Int64, total: Int64)? {
        guard status == 206, let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        let parts = text.dropFirst(6).split(separator: "/")
        guard parts.count == 2, let start = Int64(parts[0].prefix { $0 != "-" }.trimmed),
            let total = Int64(parts[1].trimmed), start >= 0, total >= start
        else { return nil }
        return (start, total)
    }

    /// Whether the server is a station.
    package var isStation: Bool { fields.keys.contains { $0.hasPrefix("icy-") } }

    package var stationInterval: Int? { fields["icy-metaint"].flatMap(Int.init) }

    var isWebPage: Bool { contentType == "text/html" || contentType == "application/xhtml+xml" }

    /// Returns the kind of playlist by the media type, or if that is inconclusive, by the URL's extension.
    package func playlistKind(url: String) -> Playlist.Kind? {
        switch contentType {
        case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
            "application/vnd.apple.mpegurl":
            .m3u
        case "audio/x-scpls", "audio/scpls", "application/pls+xml", "application/x-scpls": .pls
        case "", "text/plain", "application/octet-stream", "binary/octet-stream":
            Playlist.Kind(fileName: String(url.prefix { $0 != "?" && $0 != "#" }))
        default: nil
        }
    }
}

extension StringProtocol {
    /// The text without surrounding white space.
    var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex)])
    }
}
