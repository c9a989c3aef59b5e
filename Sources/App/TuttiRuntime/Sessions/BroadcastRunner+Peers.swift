import Broadcasting
import Discovery
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// What the network, mDNS and the page for browsers bring.
extension BroadcastRunner {
    func startDiscovery(_ greeting: Greeting, port: UInt16) {
        let record = PeerRecord(
            id: greeting.peer, instance: greeting.instance, name: greeting.name, roles: .broadcaster,
            protocolVersion: UInt32(Preamble.version),
            startedUnixMilliseconds: UInt64(clamping: started * 1_000))
        discovery = DiscoveryBridge(record: record, port: port, loop: loop) { [weak self] in self?.found($0) }
        advertisePage()
    }

    private func advertisePage() {
        discovery?.advertise(
            page: page.map { PageAdvertisement(name: nameInstead ?? name, port: $0.port, isSecure: $0.scheme != .http) }
        )
    }

    func notePage(_ location: PageLocation?) {
        page = location
        advertisePage()
        handle(.page(location))
    }

    private func found(_ finding: DiscoveryBridge.Finding) {
        switch finding {
        case .contact(let contact): handle(.contact(contact))
        case .lost(let key): handle(.contactLost(key))
        case .notice(let notice):
            if notice == .mDNSAvailable { noteStart(.discovery) }
            emit(.notice(.network(notice)))
        case .renamed(let newName):
            emit(.notice(.network(.nameTaken(name, instead: newName))))
            nameInstead = newName
            advertisePage()
            handle(.renamed(newName))
        }
    }

    func newBrowserID() -> ConnectionID { browserNumbers.next() }

    func take(_ event: BrowserLines.Event) {
        switch event {
        case .opened(let id, let instance, let address):
            handle(.opened(id, .browser(instance: instance), address: address, dial: nil, key: freshKey()))
        case .received(let id, let bytes): handle(.received(id, bytes))
        case .wrote(let id, let byteCount): handle(.wrote(id, byteCount: byteCount))
        case .broken(let id, let error): handle(.broken(id, error))
        case .closed(let id): handle(.closed(id))
        }
    }
}

extension BroadcastRunner: PeerNetworkDelegate {
    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        handle(.opened(id, direction, address: address, dial: dial, key: freshKey()))
        network.measureRoundTrip(of: id) { self.handle(.roundTrip(id, $0)) }
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {
        handle(.dialFailed(dial, failure))
    }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding) { handle(.standing(id, standing)) }

    func networkDidChangeHousehold() {
        emit(.notice(.household(household.notice)))
        handle(.access(access))
        handle(.acceptance(ofSongs: acceptsSongs))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) { handle(.wrote(id, byteCount: byteCount)) }

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}
