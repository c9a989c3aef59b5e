import NIOCore

/// What a server with a certificate says to those who speak plain HTTP: the same address by https. Nobody keeps that in
/// mind, since a server may be without a certificate the next time.
final class SecureRedirect: WebSite {
    private let loop: any EventLoop

    init(on loop: any EventLoop) { self.loop = loop }

    func route(_ request: WebRequest) -> WebRoute {
        let address = "https://\(request.authority)\(request.target)"
        return .respond(
            WebResponse(
                refusing: .movedPermanently, reason: "This is served by https: open \(address)",
                headers: [("Location", address), ("Cache-Control", "no-store")]),
            on: loop)
    }
}

// Confined to the server's loop, which is all that it holds.
extension SecureRedirect: @unchecked Sendable {}
