import CAvahi

/// One connection to avahi-daemon, with its objects. Used by the discovery thread only.
///
/// Callbacks leave what happens in ``inbox``. `deinit` withdraws our service, waiting for the daemon's reply, and
/// closes the connection.
final class AvahiConnection {
    static let serviceType = "_tutti._tcp"
    private static let anyInterface = AvahiIfIndex(AVAHI_IF_UNSPEC)
    private static let anyProtocol = AvahiProtocol(AVAHI_PROTO_UNSPEC)

    let inbox = AvahiInbox()
    private var client: OpaquePointer?
    private var browser: OpaquePointer?
    private var group: OpaquePointer?
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
        // Freeing the client frees everything in it; the group goes first, since freeing it is a call with a reply.
        if let group { avahi_entry_group_free(group) }
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
            client, Self.anyInterface, Self.anyProtocol, Self.serviceType, nil, AvahiLookupFlags(0),
            avahiBrowserCallback, Unmanaged.passUnretained(inbox).toOpaque())
        guard browser != nil else { throw failure("browse") }
    }

    /// Follows a service: reports it when it is resolved, and each time its record changes.
    func resolve(_ key: ServiceKey) throws(AvahiFailure) {
        stopResolving(key)
        let context = ResolverContext(inbox: inbox, key: key)
        // Asks for an address of the family that carried the record, so that a peer with both is found with both.
        let resolver = avahi_service_resolver_new(
            client, key.interface, key.protocolNumber, key.name, Self.serviceType, key.domain, key.protocolNumber,
            AvahiLookupFlags(0), avahiResolverCallback, Unmanaged.passUnretained(context).toOpaque())
        guard let resolver else { throw failure("resolve") }
        resolvers[key] = (resolver, context)
    }

    func stopResolving(_ key: ServiceKey) {
        guard let known = resolvers.removeValue(forKey: key) else { return }
        avahi_service_resolver_free(known.resolver)
    }
}

// MARK: Advertising

extension AvahiConnection {
    /// Announces a service under exactly this name.
    ///
    /// - Throws: a collision, if this host has a service of that name. One on another host shows later, in the group's
    ///   state.
    func publish(name: String, port: UInt16, txt strings: [[UInt8]]) throws(AvahiFailure) {
        try withdraw()
        if group == nil {
            group = avahi_entry_group_new(client, avahiGroupCallback, Unmanaged.passUnretained(inbox).toOpaque())
        }
        guard let group else { throw failure("advertise") }
        let list = makeStringList(strings)
        defer { avahi_string_list_free(list) }
        try check(
            "advertise",
            avahi_entry_group_add_service_strlst(
                group, Self.anyInterface, Self.anyProtocol, AVAHI_PUBLISH_NO_COOKIE, name, Self.serviceType, nil, nil,
                port,
                list))
        try check("advertise", avahi_entry_group_commit(group))
    }

    func withdraw() throws(AvahiFailure) {
        guard let group else { return }
        try check("withdraw", avahi_entry_group_reset(group))
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
