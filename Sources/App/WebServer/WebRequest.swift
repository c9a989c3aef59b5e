import NIOHTTP1

/// The head of a request that passed the server's checks.
public struct WebRequest: Sendable {
    /// In capitals. A HEAD request is one of GET here, which the server answers without the body.
    public let method: String
    public let isHead: Bool
    /// Decoded, without query: begins with a slash; no segment but the last is empty, and none is a dot or two.
    public let path: String
    /// As it was sent, with the query.
    public let target: String
    /// What the Host header names, in lower case, without port; IPv6 without brackets.
    public let host: String
    /// The same as it stands in an address: with the port if one is said, IPv6 in brackets.
    public let authority: String
    /// The client's numeric address.
    public let address: String
    private let items: [(name: String, value: String)]
    private let headers: HTTPHeaders

    init(
        method: String, isHead: Bool, target: RequestTarget, host: String, authority: String? = nil,
        address: String, headers: HTTPHeaders
    ) {
        self.method = method
        self.isHead = isHead
        self.path = target.path
        self.target = target.text
        self.items = target.items
        self.host = host
        self.authority = authority ?? host
        self.address = address
        self.headers = headers
    }

    /// Returns the value of a query's first item of this name; empty for an item without one.
    public func query(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// Returns the first header's value of this name, in whatever case.
    public func header(_ name: String) -> String? { headers.first(name: name) }
}
