import NIOCore
import NIOHTTP1

/// Where the body of the request that is being read goes.
enum RequestBody {
    /// There is none: the request is answered once it ends.
    case none(EventLoopFuture<WebResponse>)
    case collected(Collected, byteLimit: Int, (ByteBuffer) -> EventLoopFuture<WebResponse>)
    /// - Parameter isTaking: whether the site has not taken the last piece yet: nothing is read meanwhile.
    case uploaded(any WebUpload, isTaking: Bool)
    /// There is none: the request is answered by a stream once it ends.
    case streamed(any WebStream)
    /// There is none: the connection becomes a WebSocket once the request ends.
    case socket(any WebSocketHandler, HTTPRequestHead)

    /// What has come of a body, in one place: a copy of the enum must not copy it.
    final class Collected {
        var bytes = ByteBuffer()
    }

    /// - Throws: ``WebRefusal`` for a head that does not suit its route.
    init(of head: HTTPRequestHead, for route: WebRoute) throws(WebRefusal) {
        switch route {
        case .collect(let byteLimit, let answer):
            guard head.contentLength ?? 0 <= byteLimit else { throw Self.tooLarge(byteLimit) }
            self = .collected(Collected(), byteLimit: byteLimit, answer)
        case .upload(let upload): self = .uploaded(upload, isTaking: false)
        case .respond(let response): self = .none(response)
        case .stream(let stream):
            guard !head.hasBody else {
                stream.abort()
                throw Self.unwanted
            }
            self = .streamed(stream)
        case .socket(let handler):
            try SocketUpgrade.check(head)
            guard !head.hasBody else { throw Self.unwanted }
            self = .socket(handler, head)
        }
    }

    /// Nobody takes it.
    static let unwanted = WebRefusal(.contentTooLarge, "This request has no body: send none.")

    static func tooLarge(_ byteLimit: Int) -> WebRefusal {
        WebRefusal(.contentTooLarge, "The body of this request has at most \(byteLimit) bytes.")
    }

    var isTaking: Bool {
        if case .uploaded(_, isTaking: true) = self { true } else { false }
    }

    /// Its end will not come.
    func abort() {
        switch self {
        case .uploaded(let upload, _): upload.abort()
        case .streamed(let stream): stream.abort()
        case .none, .collected, .socket: break
        }
    }
}

/// What must be known of a request until it is answered.
struct Exchange {
    /// Among those of its connection.
    let number: Int
    let isHead: Bool
    /// The values of its If-None-Match headers.
    let known: [String]
    /// Whether another request may follow.
    private(set) var keepsAlive: Bool

    init(number: Int, _ head: HTTPRequestHead) {
        self.number = number
        isHead = head.method == .HEAD
        known = head.headers["if-none-match"]
        // The parser takes what follows such a head for another protocol.
        let leavesHTTP = head.headers.contains(name: "upgrade") || head.method == .CONNECT
        keepsAlive = head.isKeepAlive && head.version == .http1_1 && !leavesHTTP
    }
    /// The same, as the last of its connection.
    var ending: Exchange {
        var exchange = self
        exchange.keepsAlive = false
        return exchange
    }
}
