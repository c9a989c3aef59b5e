import AudioCore

// Every service found gets a resolver, which stays open: it reports each change of the record. avahi-daemon limits
// their number per client, so any surplus waits for its turn. A resolver that found nothing (a machine that is gone,
// but whose announcement is still in caches) is closed and retried, less and less often.
//
// When a service moves to another host (two had claimed its name, and the other one kept it), avahi 0.8 reports the new
// host with the old host's address, and never corrects it. A new resolver gives the right one.

/// Tracks which services have a resolver, which wait for one, and when to retry. Discovery thread only.
struct ResolverPool {
    private static let settleLimit = TimeSpan.seconds(1)

    private var active: Set<ServiceKey> = []
    /// The last known host of each service with a resolver.
    private var hostNames: [ServiceKey: String] = [:]
    private var waiting: [ServiceKey] = []
    /// Services whose resolvers have not answered so far.
    private var unanswered: Set<ServiceKey> = []
    private var retries: [ServiceKey: (due: HostTime, backoff: Backoff)] = [:]
    /// Set when the browser has reported everything: the latest time to settle.
    private var settleDeadline: HostTime?

    mutating func appeared(_ key: ServiceKey, on connection: AvahiConnection) {
        guard !active.contains(key), retries[key] == nil, waiting.count < DiscoveryLimits.waitingServiceCount else {
            return
        }
        waiting.append(key)
        openWaiting(on: connection)
    }

    mutating func disappeared(_ key: ServiceKey, on connection: AvahiConnection) {
        stop(key, on: connection)
        retries[key] = nil
        waiting.removeAll { $0 == key }
        openWaiting(on: connection)
    }

    /// Returns whether the result can be believed. If not, the service is resolved once more.
    mutating func resolved(_ key: ServiceKey, host: String?, on connection: AvahiConnection) -> Bool {
        let before = hostNames[key]
        if let before, let host, before != host {
            stop(key, on: connection)
            waiting.append(key)
            openWaiting(on: connection)
            return false
        }
        hostNames[key] = host
        unanswered.remove(key)
        retries[key] = nil
        return true
    }

    mutating func resolveFailed(_ key: ServiceKey, on connection: AvahiConnection, now: HostTime) {
        stop(key, on: connection)
        var backoff = retries[key]?.backoff ?? Backoff(first: .seconds(2), limit: .seconds(60))
        retries[key] = (now + backoff.next(), backoff)
        openWaiting(on: connection)
    }

    mutating func allForNow(now: HostTime) { settleDeadline = now + Self.settleLimit }

    /// Returns whether everything that was there at first has been resolved, or timed out. True once.
    mutating func hasSettled(now: HostTime) -> Bool {
        guard let settleDeadline, unanswered.isEmpty || now >= settleDeadline else { return false }
        self.settleDeadline = nil
        return true
    }

    /// Retries what has failed and is due.
    mutating func runTimers(on connection: AvahiConnection, now: HostTime) {
        let due = retries.filter { $0.value.due <= now && !active.contains($0.key) }.keys
        guard !due.isEmpty else { return }
        waiting += due.filter { !waiting.contains($0) }
        for key in due { retries[key]?.due = HostTime(nanoseconds: .max) }
        openWaiting(on: connection)
    }

    var nextDeadline: HostTime? {
        let times = retries.values.map(\.due).filter { $0.nanoseconds != .max } + [settleDeadline].compactMap(\.self)
        return times.min()
    }

    private mutating func stop(_ key: ServiceKey, on connection: AvahiConnection) {
        connection.stopResolving(key)
        active.remove(key)
        hostNames[key] = nil
        unanswered.remove(key)
    }

    private mutating func openWaiting(on connection: AvahiConnection) {
        while let key = waiting.first, active.count < DiscoveryLimits.resolverCount {
            do {
                try connection.resolve(key)
            } catch {
                // Full, or the daemon is gone, which ends this pool too: retry later in both cases.
                return
            }
            waiting.removeFirst()
            active.insert(key)
            unanswered.insert(key)
        }
    }
}
