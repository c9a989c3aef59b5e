import NIOCore

/// What a request is answered.
///
/// The server adds the headers that every response has (see ``ResponseHeaders``), leaves out the body for HEAD, and
/// answers 304 where the client has the same `ETag` already (RFC 9110 section 13.1.2).
public struct WebResponse: Sendable {
    public var status: WebStatus
    /// The `Content-Type`; empty for none.
    public var mediaType: String
    public var body: ByteBuffer
    /// Further headers, for example `ETag` with its quotes. None may have a line break.
    public var headers: [(String, String)]

    public init(
        status: WebStatus = .ok, mediaType: String, body: ByteBuffer, headers: [(String, String)] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
        self.headers = headers
    }

    /// `{"error":"reason"}`.
    /// - Parameter reason: one line, which says what to do.
    public init(refusing status: WebStatus, reason: String, headers: [(String, String)] = []) {
        let body = ByteBuffer(string: #"{"error":""# + Self.escaped(reason) + "\"}\n")
        self.init(status: status, mediaType: "application/json", body: body, headers: headers)
    }

    /// What stands between the quotes of a JSON string (RFC 8259 section 7).
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\0"..."\u{1F}": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Why a request is refused. A site's futures may fail with it; any other error is answered 500.
public struct WebRefusal: Error {
    public var status: WebStatus
    /// One line, which says what to do.
    public var reason: String
    public var headers: [(String, String)]

    public init(_ status: WebStatus, _ reason: String, headers: [(String, String)] = []) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }

    var response: WebResponse { WebResponse(refusing: status, reason: reason, headers: headers) }
}
