import Songs

/// Heads of HTTP responses, line by line, and what follows from them for a transfer that goes on.
struct HeadRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        let position = setting & 1 == 0 ? Int64(reader.byte()) << 8 : reader.number(Int64.self) & .max
        let lines = reader.remainder().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let head = Self.head(lines)
        if let violation = Self.violation(in: head) ?? Self.violation(of: head, lines) {
            return violation
        }
        if let line = lines.first(where: { Self.namesHTTP($0) && !Self.leadsToHTTP($0) }) {
            return "'\(String(decoding: line, as: UTF8.self))' does not lead to http"
        }
        return Self.resourceViolation(head, position)
    }

    private static func head(_ lines: [some Collection<UInt8>]) -> HTTPResponseHead {
        var head = HTTPResponseHead()
        for line in lines { head.take(line) }
        return head
    }

    private static func violation(in head: HTTPResponseHead) -> String? {
        let held = heldByteCount(of: head)
        // A byte that is not UTF-8 becomes three.
        let most = (HTTPResponseHead.fieldCountLimit + 2) * (3 * HTTPResponseHead.lineByteCount + 64)
        if held > most { return "a head holds \(held) bytes" }
        if head.isFinal, !head.isComplete || head.status < 200 || head.leadsToHTTP {
            return "final too early"
        }
        if head.leadsToHTTP, !(300..<400).contains(head.status) {
            return "\(head.status) leads to http"
        }
        if let count = head.contentLength, count < 0 { return "a length of \(count)" }
        if let range = head.range, range.start < 0 || range.total < range.start {
            return "a range of \(range)"
        }
        return nil
    }

    /// Line ends do not matter, and a status line begins a new head.
    private static func violation(of head: HTTPResponseHead, _ lines: [ArraySlice<UInt8>]) -> String? {
        if Self.head(lines.map { Array($0) + [13, 10] }) != head { return "line ends matter" }
        let status = Array("HTTP/1.1 206 Partial Content".utf8)[...]
        let response = Self.head([status] + lines)
        return Self.head(lines + [status] + lines) == response ? nil : "an older response matters"
    }

    /// Whether a header line names an address without encryption, byte by byte.
    private static func namesHTTP(_ line: ArraySlice<UInt8>) -> Bool {
        let (name, start) = (Array("location:".utf8), Array("http:".utf8))
        func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
        guard lowercased(line.prefix(name.count)) == name else { return false }
        let value = line.dropFirst(name.count).drop {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
        return lowercased(value.prefix(start.count)) == start
            && value.startIndex - line.startIndex + start.count <= HTTPResponseHead.lineByteCount
    }

    private static func leadsToHTTP(_ line: ArraySlice<UInt8>) -> Bool {
        head([Array("HTTP/1.1 302 Found".utf8)[...], line, []]).leadsToHTTP
    }

    private static func resourceViolation(_ head: HTTPResponseHead, _ position: Int64) -> String? {
        let resource = HTTPResource(head)
        if let count = resource.byteCount, count < 0 { return "a resource of \(count) bytes" }
        if resource.hasRanges, resource.byteCount == nil {
            return "ranges of a resource without an end"
        }
        if resource.isStation, resource.hasRanges || resource.byteCount != nil {
            return "a station with an end"
        }
        if let interval = head.stationInterval, interval < 1, ICYStripper(interval: interval) != nil {
            return "a station of an interval of \(interval)"
        }
        _ = head.playlistKind(url: "http://radio.example/list.pls?\(head.statusText)")
        switch resource.continuation(head, at: position) {
        case .bytes(let skipped)?:
            return skipped < 0 || skipped > position ? "\(skipped) bytes skipped before \(position)" : nil
        case .gap?: return resource.byteCount == nil ? nil : "a gap in what has an end"
        case nil: return nil
        }
    }
}

extension HeadRun {
    static var seeds: [[UInt8]] {
        let heads = [
            "HTTP/1.1 302 Found\r\nLocation: http://x.example/\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n"
                + "Content-Length: 1000\r\nETag: \"1\"\r\n\r\n",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-999/1000\r\nLast-Modified: x\r\n\r\n",
            "ICY 200 OK\r\nicy-name: A\r\nicy-metaint: 8192\r\ncontent-type:audio/x-mpegurl; a=b\r\n\r\n",
            "HTTP/1.0 404 Not Found\nContent-Type: text/html\nContent-Encoding: gzip\n\n",
            "HTTP/2 307 \r\nlocation:HTTP:\n",
            "HTTP/1.1 302 Found\nLocation: http:\u{301}//x.example/\n",
        ]
        return heads.map { [0, 2] + Array($0.utf8) }
            + heads.map { [1, 0, 0, 0, 0, 0, 0, 1, 0] + Array($0.utf8) }
    }
}
