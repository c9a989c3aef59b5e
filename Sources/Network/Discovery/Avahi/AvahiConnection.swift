import CAvahi

/// One connection to avahi-daemon, with its objects. Used by the discovery thread only.
///
/// Callbacks leave what happens in ``inbox``. `deinit` withdraws our services, waiting for the daemon's replies, and
/// closes the connection.
final class AvahiConnection {
    private static let anyInterface = AvahiIfIndex(AVAHI_IF_UNSPEC)
    private static let anyProtocol = AvahiProtocol(AVAHI_PROTO_UNSPEC)

    let inbox = AvahiInbox()
    private var client: OpaquePointer?
    private var browser: OpaquePointer?
    /// One for each service of ours, since a group is changed as a whole.
    private var groups: [ServiceType: (group: OpaquePointer, context: GroupContext)] = [:]
    private var resolvers: [ServiceKey: (resolver: OpaquePointer, context: ResolverContext)] = [:]

    /// Connects, or starts to wait for the daemon: the inbox gets the state.
    init(poll: OpaquePointer) throws(AvahiFailure) {
        var code: Int32 = 0
        client = avahi_client_new(
            avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, avahiClientCallback,
            Unmanaged.passUnretained(inbox).toOpaque(), &code)
        guard client != nil else { throw AvahiFailure(operation: "connect to avahi-daemon", code: Int(code)) }
    }

    deinit {
        // Freeing the client frees everything in it; the groups go first, since freeing one is a call with a reply.
        for known in groups.values { avahi_entry_group_free(known.group) }
        if let client { avahi_client_free(client) }
    }

    private func failure(_ operation: StaticString) -> AvahiFailure {
        AvahiFailure(operation: operation, code: client.map { Int(avahi_client_errno($0)) } ?? AVAHI_ERR_BAD_STATE)
    }
}

// MARK: Browsing

extension AvahiConnection {
    var isBrowsing: Bool { browser != nil }

    func browse() throws(AvahiFailure) {
        browser = avahi_service_browser_new(
            client, Self.anyInterface, Self.anyProtocol, ServiceType.peer.rawValue, nil, AvahiLookupFlags(0),
            avahiBrowserCallback, Unmanaged.passUnretained(inbox).toOpaque())
        guard browser != nil else { throw failure("browse") }
    }

    /// Follows a service: reports it when it is resolved, and each time its record changes.
    func resolve(_ key: ServiceKey) throws(AvahiFailure) {
        stopResolving(key)
        let context = ResolverContext(inbox: inbox, key: key)
        // Asks for an address of the family that carried the record, so that a peer with both is found with both.
        let resolver = avahi_service_resolver_new(
            client, key.interface, key.protocolNumber, key.name, ServiceType.peer.rawValue, key.domain,
            key.protocolNumber, AvahiLookupFlags(0), avahiResolverCallback,
            Unmanaged.passUnretained(context).toOpaque())
        guard let resolver else { throw failure("resolve") }
        resolvers[key] = (resolver, context)
    }

    func stopResolving(_ key: ServiceKey) {
        guard let known = resolvers.removeValue(forKey: key) else { return }
        avahi_service_resolver_free(known.resolver)
    }
}

// MARK: Advertising

extension AvahiConnection: ServiceRegistrar {
    func publish(_ service: ServiceAdvertisement) throws(AvahiFailure) {
        try withdraw(service.type)
        let group = try group(of: service.type)
        let list = makeStringList(service.txtStrings)
        defer { avahi_string_list_free(list) }
        try check(
            "advertise",
            avahi_entry_group_add_service_strlst(
                group, Self.anyInterface, Self.anyProtocol, AVAHI_PUBLISH_NO_COOKIE, service.name,
                service.type.rawValue, nil, nil, service.port, list))
        try check("advertise", avahi_entry_group_commit(group))
    }

    func withdraw(_ type: ServiceType) throws(AvahiFailure) {
        guard let known = groups[type] else { return }
        try check("withdraw", avahi_entry_group_reset(known.group))
    }

    private func group(of type: ServiceType) throws(AvahiFailure) -> OpaquePointer {
        if let known = groups[type] { return known.group }
        let context = GroupContext(inbox: inbox, type: type)
        let group = avahi_entry_group_new(client, avahiGroupCallback, Unmanaged.passUnretained(context).toOpaque())
        guard let group else { throw failure("advertise") }
        groups[type] = (group, context)
        return group
    }

    private func check(_ operation: StaticString, _ code: Int32) throws(AvahiFailure) {
        guard code < 0 else { return }
        throw AvahiFailure(operation: operation, code: Int(code))
    }

    // `avahi_string_list_add` prepends.
    private func makeStringList(_ strings: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
        strings.reversed().reduce(nil) { list, string in
            avahi_string_list_add_arbitrary(list, string, string.count)
        }
    }
}

/// Returns the next name to try when one is taken: "Name", "Name #2", "Name #3". At most 63 bytes, cut between scalars.
func alternativeServiceName(to name: String) -> String {
    guard let text = avahi_alternative_service_name(name) else { return name }
    defer { avahi_free(text) }
    return String(cString: text)
}
