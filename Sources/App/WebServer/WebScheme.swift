/// How a server is spoken to (RFC 9110 section 4.2).
enum WebScheme: String, Sendable {
    case http, https

    /// The port that an origin and a Host header leave out.
    var standardPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}
