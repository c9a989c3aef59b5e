import NIOHTTP1

/// The headers that every response has, and what becomes of a response by the request's.
enum ResponseHeaders {
    /// No page of this server takes anything from elsewhere, is shown within another, or tells others of itself; no
    /// other site's page may include or open what is served.
    private static func always(_ scheme: WebScheme) -> [(String, String)] {
        let common = [
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return switch scheme {
        case .http: [policy(sockets: "ws: wss:")] + common
        // Browsers heed it by https alone, and warn of it elsewhere (HTML Standard, section 7.1.3).
        case .https: [policy(sockets: "wss:")] + common + [("Cross-Origin-Opener-Policy", "same-origin")]
        }
    }

    private static func policy(sockets: String) -> (String, String) {
        (
            "Content-Security-Policy",
            "default-src 'self'; connect-src 'self' \(sockets); img-src 'self' blob: data:; media-src 'self' blob:; "
                + "style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
    }

    /// - Parameter closes: whether the connection ends with this response.
    static func head(for response: WebResponse, scheme: WebScheme, closes: Bool) -> HTTPResponseHead {
        var headers = headers(for: response, scheme)
        // None where there can be no content (RFC 9110 section 8.6).
        if response.status != .noContent {
            headers.add(name: "Content-Length", value: String(response.body.readableBytes))
        }
        if closes { headers.add(name: "Connection", value: "close") }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status.code), headers: headers)
    }

    /// Of a response whose body ends with the connection.
    static func streamHead(for response: WebResponse, scheme: WebScheme) -> HTTPResponseHead {
        var headers = headers(for: response, scheme)
        headers.add(name: "Connection", value: "close")
        return HTTPResponseHead(
            version: .http1_0, status: HTTPResponseStatus(statusCode: response.status.code), headers: headers)
    }

    private static func headers(for response: WebResponse, _ scheme: WebScheme) -> HTTPHeaders {
        var headers = HTTPHeaders(always(scheme))
        for (name, value) in response.headers { headers.add(name: name, value: value) }
        if !headers.contains(name: "cache-control") {
            headers.add(name: "Cache-Control", value: headers.contains(name: "etag") ? "no-cache" : "no-store")
        }
        if !response.mediaType.isEmpty { headers.add(name: "Content-Type", value: response.mediaType) }
        return headers
    }

    /// The head that makes a connection a WebSocket.
    static func upgradeHead(_ upgrade: HTTPHeaders, scheme: WebScheme) -> HTTPResponseHead {
        var headers = HTTPHeaders(always(scheme))
        headers.add(contentsOf: upgrade)
        return HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
    }

    /// The response, or 304 if the client has that already.
    /// - Parameter known: the values of its If-None-Match headers.
    static func response(_ response: WebResponse, known: [String]) -> WebResponse {
        guard response.status == .ok,
            let tag = response.headers.first(where: { $0.0.lowercased() == "etag" })?.1,
            known.contains(where: { names($0, tag) })
        else { return response }
        return WebResponse(
            status: .notModified, mediaType: "", body: .init(),
            headers: response.headers.filter { ["etag", "cache-control", "vary"].contains($0.0.lowercased()) })
    }

    /// Whether a list of tags has this one, by the weak comparison (RFC 9110 section 8.8.3.2).
    private static func names(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            return String(item) == "*" || opaque(String(item)) == opaque(tag)
        }
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
