import AudioCore

// Every service that is browsed gets a resolver, which stays open: it reports each change of the record. avahi-daemon
// limits how many one client may have, so the surplus waits for its turn. A resolver that found nothing (a machine that
// is gone and whose announcement lives on in caches) is closed and tried again, less and less often.
//
// When a service moves to another host (two had claimed its name, and the other one kept it), avahi 0.8 reports the new
// host with the old host's address, and never corrects it. A resolver made anew gives the right one.

/// Which services have a resolver, which wait for one, and when the failed are tried again. Discovery thread only.
struct ServiceFollower {
    private static let settleLimit = TimeSpan.seconds(1)

    private var followed: Set<ServiceKey> = []
    /// On which host each followed service was last.
    private var hostNames: [ServiceKey: String] = [:]
    private var waiting: [ServiceKey] = []
    /// Followed, and nothing was heard of yet.
    private var unanswered: Set<ServiceKey> = []
    private var retries: [ServiceKey: (due: HostTime, backoff: Backoff)] = [:]
    /// Set once the browser said that it has told all: settled at the latest then.
    private var settleDeadline: HostTime?

    mutating func appeared(_ key: ServiceKey, on connection: AvahiConnection) {
        guard !followed.contains(key), retries[key] == nil, waiting.count < DiscoveryLimits.waitingServiceCount else {
            return
        }
        waiting.append(key)
        followWaiting(on: connection)
    }

    mutating func disappeared(_ key: ServiceKey, on connection: AvahiConnection) {
        stop(key, on: connection)
        retries[key] = nil
        waiting.removeAll { $0 == key }
        followWaiting(on: connection)
    }

    /// Returns whether what was resolved can be believed. Where not, the service is resolved once more.
    mutating func resolved(_ key: ServiceKey, host: String?, on connection: AvahiConnection) -> Bool {
        let before = hostNames[key]
        if let before, let host, before != host {
            stop(key, on: connection)
            waiting.append(key)
            followWaiting(on: connection)
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
        followWaiting(on: connection)
    }

    mutating func allForNow(now: HostTime) { settleDeadline = now + Self.settleLimit }

    /// Whether everything that was there at first has been resolved, or had its time. True once.
    mutating func hasSettled(now: HostTime) -> Bool {
        guard let settleDeadline, unanswered.isEmpty || now >= settleDeadline else { return false }
        self.settleDeadline = nil
        return true
    }

    /// Tries again what has failed and is due.
    mutating func runTimers(on connection: AvahiConnection, now: HostTime) {
        let due = retries.filter { $0.value.due <= now && !followed.contains($0.key) }.keys
        guard !due.isEmpty else { return }
        waiting += due.filter { !waiting.contains($0) }
        for key in due { retries[key]?.due = HostTime(nanoseconds: .max) }
        followWaiting(on: connection)
    }

    var nextDeadline: HostTime? {
        let times = retries.values.map(\.due).filter { $0.nanoseconds != .max } + [settleDeadline].compactMap(\.self)
        return times.min()
    }

    private mutating func stop(_ key: ServiceKey, on connection: AvahiConnection) {
        connection.stopResolving(key)
        followed.remove(key)
        hostNames[key] = nil
        unanswered.remove(key)
    }

    private mutating func followWaiting(on connection: AvahiConnection) {
        while let key = waiting.first, followed.count < DiscoveryLimits.followedServiceCount {
            do {
                try connection.resolve(key)
            } catch {
                // Full, or the daemon is gone, which ends this follower too: in both cases later.
                return
            }
            waiting.removeFirst()
            followed.insert(key)
            unanswered.insert(key)
        }
    }
}
