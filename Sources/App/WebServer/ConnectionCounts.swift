/// How many connections there are, and which of them are served.
struct ConnectionCounts {
    enum Admission: Equatable {
        case served
        /// It is told so (503).
        case refused(reason: String)
        /// It is closed without a word.
        case dropped
    }

    private let limits: WebLimits
    private var served = 0
    private var refused = 0
    private var servedOfAddress: [String: Int] = [:]

    init(_ limits: WebLimits) { self.limits = limits }

    /// Counts a connection, unless it is dropped.
    mutating func admit(_ address: String) -> Admission {
        let reason: String
        if served >= limits.connections {
            reason = "There are \(limits.connections) connections already: try again later."
        } else if servedOfAddress[address, default: 0] >= limits.connectionsPerAddress {
            reason = "There are \(limits.connectionsPerAddress) connections from \(address) already: close other tabs."
        } else {
            served += 1
            servedOfAddress[address, default: 0] += 1
            return .served
        }
        guard refused < limits.refusedConnections else { return .dropped }
        refused += 1
        return .refused(reason: reason)
    }

    /// A connection that was admitted so is over.
    mutating func release(_ address: String, _ admission: Admission) {
        switch admission {
        case .served:
            served -= 1
            let rest = servedOfAddress[address, default: 0] - 1
            servedOfAddress[address] = rest > 0 ? rest : nil
        case .refused: refused -= 1
        case .dropped: break
        }
    }
}
