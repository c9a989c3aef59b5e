import NIOHTTP1

/// Which heads are answered at all: those that a page of this server, a program or somebody's address bar sends.
///
/// A foreign page may make a browser send requests here. It cannot choose the Host header, which names the page's own
/// site (so that a name of its site that is made to lead here is refused, "DNS rebinding"), nor hide its Origin.
struct HeadCheck {
    let scheme: WebScheme
    private let names: HostNames

    /// - Parameter scheme: by which clients speak, and pages of this server have come.
    init(_ names: HostNames, scheme: WebScheme = .http) {
        self.names = names
        self.scheme = scheme
    }

    /// - Parameter names: of this machine; each stands also for itself in `.local` where it has no dot.
    init(names: [String]) { self.init(HostNames(own: names)) }

    private static let methods: [HTTPMethod] = [.GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .OPTIONS]

    /// - Throws: ``WebRefusal``, with the status and reason that the client is told.
    func request(_ head: HTTPRequestHead, from address: String) throws(WebRefusal) -> WebRequest {
        let authority = try authority(head.headers)
        try checkOrigin(head, authority)
        guard Self.methods.contains(head.method) else {
            throw WebRefusal(.notImplemented, "There is no method \(head.method.rawValue) here: use GET or POST.")
        }
        try Self.checkFraming(head.headers)
        return WebRequest(
            method: head.method == .HEAD ? "GET" : head.method.rawValue, isHead: head.method == .HEAD,
            target: try RequestTarget(head.uri), host: authority.host.text, authority: authority.text,
            address: address, headers: head.headers)
    }

    private func authority(_ headers: HTTPHeaders) throws(WebRefusal) -> Authority {
        let hosts = headers["host"]
        guard hosts.count == 1, let authority = Authority(hosts[0]) else {
            throw WebRefusal(.badRequest, "A request has one Host header, of a name or an address.")
        }
        switch authority.host {
        case .address: return authority
        case .name(let name) where names.contains(name): return authority
        case .name(let name):
            throw WebRefusal(.misdirected, "'\(name)' is no name of this machine: use its address or its own name.")
        }
    }

    private func checkOrigin(_ head: HTTPRequestHead, _ authority: Authority) throws(WebRefusal) {
        let origins = head.headers["origin"]
        guard origins.isEmpty || origins.count == 1 && isSame(origins[0], authority),
            !head.headers.has("sec-fetch-site", "cross-site") || Self.followsLink(head)
        else { throw WebRefusal(.forbidden, "Pages of other sites may not use this one: open it by its own address.") }
    }

    /// Whether somebody follows a link to here, of another site or of a message: the other site sees nothing of what
    /// they get, and nothing changes by GET (Fetch Metadata Request Headers, section 2).
    private static func followsLink(_ head: HTTPRequestHead) -> Bool {
        (head.method == .GET || head.method == .HEAD) && !head.headers.contains(name: "origin")
            && head.headers.has("sec-fetch-mode", "navigate") && head.headers.has("sec-fetch-dest", "document")
    }

    private func isSame(_ origin: String, _ authority: Authority) -> Bool {
        let prefix = "\(scheme.rawValue)://"
        guard origin.lowercased().hasPrefix(prefix), let other = Authority(origin.dropFirst(prefix.count)) else {
            return false
        }
        let standard = scheme.standardPort
        return other.host == authority.host && (other.port ?? standard) == (authority.port ?? standard)
    }

    /// Where a body ends must be said in one way (RFC 9112 section 6.3).
    private static func checkFraming(_ headers: HTTPHeaders) throws(WebRefusal) {
        let codings = headers["transfer-encoding"]
        guard !codings.isEmpty else { return }
        guard !headers.contains(name: "content-length") else {
            throw WebRefusal(.badRequest, "A request has Content-Length or Transfer-Encoding, not both.")
        }
        guard codings.count == 1, codings[0].lowercased() == "chunked" else {
            throw WebRefusal(.notImplemented, "Bodies come as they are or chunked: send no other Transfer-Encoding.")
        }
    }
}

extension HTTPHeaders {
    /// Whether one of a name has this value, in lower case.
    fileprivate func has(_ name: String, _ value: String) -> Bool { self[name].contains { $0.lowercased() == value } }
}

extension HTTPRequestHead {
    /// Whether something follows it.
    var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" }
    }

    /// Nil if it is not said, or is no number that a body could have.
    var contentLength: Int? { headers.first(name: "content-length").flatMap { Int($0) } }
}
