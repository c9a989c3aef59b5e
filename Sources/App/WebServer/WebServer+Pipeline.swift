import NIOCore

extension WebServer {
    /// Makes a channel without a socket behave as a connection of a server, which is counted nowhere.
    package static func serve(
        _ channel: any Channel, site: any WebSite, names: [String], limits: WebLimits = .init()
    ) throws {
        let connection = WebConnection(
            site: site, check: HeadCheck(names: names), limits: limits, address: "192.0.2.1",
            budget: WriteBudget(limit: limits.waitingBytes), onSocket: { _ in })
        try connection.addHandlers(to: channel)
    }
}
