import AudioCore
import CAvahi

// `userdata` is an unretained reference to the connection's inbox, or to a group's or resolver's context. The
// connection keeps each for longer than the object that calls back.

let avahiClientCallback: AvahiClientCallback = { _, state, userdata in
    inbox(userdata)?.append(.client(state))
}

let avahiGroupCallback: AvahiEntryGroupCallback = { _, state, userdata in
    guard let userdata else { return }
    let context = Unmanaged<GroupContext>.fromOpaque(userdata).takeUnretainedValue()
    context.inbox.append(.group(context.type, state))
}

let avahiBrowserCallback: AvahiServiceBrowserCallback = {
    _, interface, protocolNumber, event, name, _, domain, _, userdata in
    guard let inbox = inbox(userdata) else { return }
    switch event {
    case AVAHI_BROWSER_ALL_FOR_NOW: inbox.append(.allForNow)
    case AVAHI_BROWSER_FAILURE: inbox.append(.browserFailed)
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
        guard let name, let domain else { return }
        let key = ServiceKey(
            interface: interface, protocolNumber: protocolNumber, name: String(cString: name),
            domain: String(cString: domain))
        inbox.append(event == AVAHI_BROWSER_NEW ? .appeared(key) : .disappeared(key))
    default: break
    }
}

let avahiResolverCallback: AvahiServiceResolverCallback = {
    _, interface, _, event, _, _, _, hostName, address, port, txt, _, userdata in
    guard let userdata else { return }
    let context = Unmanaged<ResolverContext>.fromOpaque(userdata).takeUnretainedValue()
    guard event == AVAHI_RESOLVER_FOUND, let address, let hostName else {
        context.inbox.append(.resolveFailed(context.key))
        return
    }
    let sighting = PeerRecord(txtStrings: AvahiStrings(first: txt)).map {
        ServiceSighting(
            record: $0,
            hostName: String(displaying: String(cString: hostName), maximumByteCount: 255),
            address: PeerAddress(avahi: address.pointee, interface: interface), port: port)
    }
    context.inbox.append(.resolved(context.key, sighting))
}

private func inbox(_ userdata: UnsafeMutableRawPointer?) -> AvahiInbox? {
    userdata.map { Unmanaged<AvahiInbox>.fromOpaque($0).takeUnretainedValue() }
}

/// The strings of an `AvahiStringList`, copied one by one.
private struct AvahiStrings: Sequence, IteratorProtocol {
    private var next_: UnsafeMutablePointer<AvahiStringList>?

    init(first: UnsafeMutablePointer<AvahiStringList>?) { next_ = first }

    mutating func next() -> [UInt8]? {
        guard let node = next_ else { return nil }
        next_ = avahi_string_list_get_next(node)
        return Array(
            UnsafeBufferPointer(start: avahi_string_list_get_text(node), count: avahi_string_list_get_size(node)))
    }
}

extension PeerAddress {
    fileprivate init(avahi address: AvahiAddress, interface: AvahiIfIndex) {
        guard address.proto == AvahiProtocol(AVAHI_PROTO_INET6) else {
            self = .v4(UInt32(bigEndian: address.data.ipv4.address))
            return
        }
        let halves = withUnsafeBytes(of: address.data.ipv6.address) { bytes in
            (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        let unscoped = PeerAddress.v6(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1), scope: 0)
        let scope = unscoped.isLinkLocal ? UInt32(clamping: interface) : 0
        self = .v6(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1), scope: scope)
    }
}
