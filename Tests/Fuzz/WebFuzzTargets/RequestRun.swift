/// Bytes of one connection: whole, in pieces; what comes back must be responses, and the same.
struct RequestRun {
    private let pieces: [Int]
    private let bytes: [UInt8]

    init(_ input: [UInt8]) {
        pieces = Pieces.sizes(input.prefix(Pieces.byteCount))
        bytes = Array(input.dropFirst(Pieces.byteCount))
    }

    func violation() -> String? {
        let (whole, cut) = (FuzzedConnection(messageByteLimit: 1_000), FuzzedConnection(messageByteLimit: 1_000))
        whole.say(bytes, in: [max(1, bytes.count)])
        cut.say(bytes, in: pieces)
        let (spoken, answered) = (Self.responses(whole.heard), Self.responses(cut.heard))
        if let violation = spoken.violation ?? answered.violation { return violation }
        if spoken.statuses != answered.statuses {
            return "in pieces: \(answered.statuses), not \(spoken.statuses)"
        }
        return whole.violationAtEnd() ?? cut.violationAtEnd()
    }

    /// The responses to requests, up to one that ends HTTP.
    private static func responses(_ bytes: [UInt8]) -> (statuses: [Int], violation: String?) {
        var (statuses, rest) = ([Int](), bytes[...])
        while !rest.isEmpty {
            let start = Array("HTTP/1.1 ".utf8)
            guard rest.starts(with: start), let end = endOfHead(rest) else { return (statuses, "this is no response") }
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
            guard let status = Int(lines[0].dropFirst(start.count).prefix(3)) else { return (statuses, "no status") }
            statuses.append(status)
            rest = rest[end...]
            if status == 100 { continue }
            if !lines.contains("X-Content-Type-Options: nosniff") { return (statuses, "\(status) without protection") }
            if status == 101 { break }
            if status == 304 { continue }
            guard let line = lines.first(where: { $0.hasPrefix("Content-Length: ") }),
                let length = Int(line.dropFirst("Content-Length: ".count))
            else { return (statuses, "\(status) without length") }
            // Those to HEAD have no body, and what follows is no response's beginning.
            if rest.starts(with: start) || rest.isEmpty { continue }
            guard rest.count >= length else { return (statuses, "\(status) without its body") }
            rest = rest.dropFirst(length)
        }
        return (statuses, nil)
    }

    private static func endOfHead(_ bytes: ArraySlice<UInt8>) -> Int? {
        let gap: [UInt8] = [13, 10, 13, 10]
        return bytes.indices.first { bytes[$0] == 13 && bytes[$0...].starts(with: gap) }.map { $0 + gap.count }
    }
}

extension RequestRun {
    static var seeds: [[UInt8]] {
        let requests = [
            "GET /a%20b?x=%26&y HTTP/1.1\r\nHost: kitchen\r\nIf-None-Match: \"1\"\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: [::1]:28885\r\nOrigin: http://[::1]:28885\r\nSec-Fetch-Site: same-origin\r\n\r\n",
            "POST /collect HTTP/1.1\r\nHost: 192.168.1.5\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nabcde",
            "POST /upload HTTP/1.1\r\nHost: kitchen.local\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: x\r\n\r\n",
            "GET /../x HTTP/1.1\r\nHost: kitchen\r\n\r\n", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            "GET /refuse?x=%22 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: kitchen\r\n\r\n",
            "OPTIONS / HTTP/1.1\r\nHost: kitchen\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            FrameRun.handshake, FrameRun.handshake + "\u{1}\u{1}a",
            "GET /api/v1/items/5/artwork?ticket=0123456789abcdef HTTP/1.1\r\nHost: kitchen:28885\r\n"
                + "Sec-Fetch-Site: cross-site\r\n\r\n",
            "POST /collect HTTP/1.1\r\nHost: kitchen\r\nOrigin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}",
            "POST /collect HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 101\r\n\r\n",
            "POST /upload HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /upload HTTP/1.1\r\nHost: kitchen\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            "POST /upload HTTP/1.1\r\nHost: kitchen\r\nContent-Length: -1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: kitchen\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "GET http://kitchen/ HTTP/1.1\r\nHost: kitchen\r\n\r\n",
            "GET /%00%2e%2e/%zz HTTP/1.1\r\nHost: kitchen\r\n\r\n",
            "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: kitchen\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: kitchen\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\nHost: kitchen\n\n",
            "\r\n\r\nGET / HTTP/9.9\r\n\r\n",
        ]
        let sizes: [[UInt8]] = [[1, 0, 0, 0, 0], [7, 3, 0x41, 9, 0xC1]]
        return sizes.flatMap { size in
            requests.map { size + Array($0.utf8) } + [size + Array((requests[0] + requests[2] + requests[3]).utf8)]
        }
    }
}
