/// A response's status (RFC 9110 section 15).
public struct WebStatus: Sendable, Hashable {
    /// 200 to 599.
    public let code: Int

    public init(code: Int) { self.code = min(max(code, 200), 599) }

    public static let ok = WebStatus(code: 200)
    public static let movedPermanently = WebStatus(code: 301)
    /// No content, and no body.
    public static let noContent = WebStatus(code: 204)
    public static let notModified = WebStatus(code: 304)
    public static let badRequest = WebStatus(code: 400)
    public static let unauthorized = WebStatus(code: 401)
    public static let forbidden = WebStatus(code: 403)
    public static let notFound = WebStatus(code: 404)
    public static let methodNotAllowed = WebStatus(code: 405)
    public static let requestTimeout = WebStatus(code: 408)
    public static let conflict = WebStatus(code: 409)
    public static let contentTooLarge = WebStatus(code: 413)
    public static let unsupportedMediaType = WebStatus(code: 415)
    public static let expectationFailed = WebStatus(code: 417)
    public static let misdirected = WebStatus(code: 421)
    public static let upgradeRequired = WebStatus(code: 426)
    public static let tooManyRequests = WebStatus(code: 429)
    public static let headTooLarge = WebStatus(code: 431)
    public static let internalError = WebStatus(code: 500)
    public static let notImplemented = WebStatus(code: 501)
    public static let unavailable = WebStatus(code: 503)
    public static let versionNotSupported = WebStatus(code: 505)
    public static let insufficientStorage = WebStatus(code: 507)
}
