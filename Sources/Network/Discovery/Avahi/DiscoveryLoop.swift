import AudioCore
import CAvahi
import Glibc
import HostSystem

// One turn of the loop: look whether another thread stopped it, or has another page to advertise; connect if it is
// time; wait in libavahi's poll; read what its callbacks left in the inbox; run timers. Every avahi object is created,
// used and freed here, never inside a callback.
//
// Without a D-Bus system bus there is nothing to wait for, so connecting is retried, less and less often. With a bus
// but no daemon, the client itself waits for the daemon. When either goes away, the client has failed for good: it is
// freed and created again.

/// The body of the discovery thread.
final class DiscoveryLoop {
    private enum Availability {
        case unknown, available, unavailable
    }

    private let mailbox: DiscoveryMailbox
    private let poll: OpaquePointer
    private let browses: Bool
    private let onEvent: (PeerDiscoveryEvent) -> Void

    private var connection: AvahiConnection?
    /// Whether the daemon accepts registrations: not while it is registering its own host name.
    private var isRunning = false
    private var availability = Availability.unknown
    private var connectDue: HostTime? = HostTime(nanoseconds: .min)
    private var connectBackoff = Backoff(first: .milliseconds(100), limit: .seconds(5))
    /// When to report news about peers: the sightings of a peer arrive one after another, within a few milliseconds.
    private var reportDue: HostTime?
    private static let reportDelay = TimeSpan.milliseconds(5)
    /// When peers from before an outage are dropped: a daemon that has just started may miss the first answers, and
    /// asks again after 1 and 3 seconds (RFC 6762 section 5.2).
    private var unconfirmedDropDue: HostTime?
    private static let unconfirmedDropDelay = TimeSpan.seconds(4)
    private var publishers: [ServiceType: ServicePublisher]
    private var resolvers = ResolverPool()
    private var directory = PeerDirectory()

    init(
        mailbox: DiscoveryMailbox, poll: OpaquePointer, browses: Bool, advertisement: PeerAdvertisement?,
        onEvent: @escaping (PeerDiscoveryEvent) -> Void
    ) {
        self.mailbox = mailbox
        self.poll = poll
        self.browses = browses
        publishers = [
            .peer: ServicePublisher(.peer, advertisement.map { ServiceAdvertisement($0) }),
            .page: ServicePublisher(.page), .securePage: ServicePublisher(.securePage),
        ]
        self.onEvent = onEvent
    }

    /// Runs until the mailbox is stopped; then withdraws our services.
    func run() {
        while !mailbox.isStopped {
            wantPage()
            runTimers()
            wait()
            connection?.inbox.takeAll().forEach(process)
            reportChanges()
        }
        connection = nil
    }
}

// MARK: Waiting

extension DiscoveryLoop {
    private var now: HostTime { .now() }

    private func wait() {
        let deadlines = [connectDue, publishDue, reportDue, unconfirmedDropDue, resolvers.nextDeadline]
        var milliseconds: Int32 = -1
        if let deadline = deadlines.compactMap(\.self).min() {
            // Rounded up, so that it is due when the wait is over. No deadline is further away than a minute.
            milliseconds = Int32((deadline - now).seconds.clamped(to: 0...60) * 1e3) + 1
        }
        guard avahi_simple_poll_iterate(poll, milliseconds) < 0 else { return }
        // poll(2) itself failed, for lack of memory: what it watched is given up.
        disconnect()
        usleep(100_000)
    }

    private func runTimers() {
        if let due = connectDue, due <= now { connect() }
        if let due = publishDue, due <= now { publish() }
        if let connection { resolvers.runTimers(on: connection, now: now) }
    }
}

// MARK: Reporting

extension DiscoveryLoop {
    private func reportChanges() {
        let hasSettled = connection != nil && resolvers.hasSettled(now: now)
        if let due = unconfirmedDropDue, due <= now {
            unconfirmedDropDue = nil
            directory.dropUnconfirmed()
        }
        if directory.hasChanges, reportDue == nil { reportDue = now + Self.reportDelay }
        guard hasSettled || reportDue.map({ $0 <= now }) == true else { return }
        reportDue = nil
        emit(directory.takeEvents() + (hasSettled ? [.settled] : []))
    }

    private func say(unavailable failure: DiscoveryFailure) {
        guard availability != .unavailable else { return }
        availability = .unavailable
        emit([.unavailable(failure)])
    }

    private func emit(_ events: [PeerDiscoveryEvent]) {
        for event in events where !mailbox.isStopped { onEvent(event) }
    }
}

// MARK: Connecting

extension DiscoveryLoop {
    private func connect() {
        connectDue = nil
        do {
            connection = try AvahiConnection(poll: poll)
            // What the initializer already reported must not wait for the next event.
            connection?.inbox.takeAll().forEach(process)
        } catch {
            say(unavailable: error.asConnectFailure)
            disconnect()
        }
    }

    private func disconnect() {
        connection = nil
        isRunning = false
        unconfirmedDropDue = nil
        for type in ServiceType.allCases { publishers[type]?.loseConnection() }
        resolvers = ResolverPool()
        directory.beginGeneration()
        connectDue = now + connectBackoff.next()
    }

    private func process(_ event: AvahiEvent) {
        guard let connection else { return }
        switch event {
        case .client(let state): clientChanged(state)
        case .group(let type, let state): groupChanged(type, state)
        case .appeared(let key):
            directory.confirm(key)
            resolvers.appeared(key, on: connection)
        case .disappeared(let key):
            resolvers.disappeared(key, on: connection)
            directory.removed(key)
        case .allForNow:
            resolvers.allForNow(now: now)
            unconfirmedDropDue = now + Self.unconfirmedDropDelay
        case .browserFailed: disconnect()
        case .resolved(let key, let sighting):
            guard resolvers.resolved(key, host: sighting?.hostName, on: connection) else { return }
            directory.resolved(key, sighting)
        case .resolveFailed(let key): resolvers.resolveFailed(key, on: connection, now: now)
        }
    }

    private func clientChanged(_ state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            guard begin() else { return }
            isRunning = true
            publish()
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION:
            // The daemon is busy with the host's own name. Browsing works; services must be registered again
            // afterwards.
            guard begin() else { return }
            isRunning = false
            for type in ServiceType.allCases {
                publishers[type]?.forget()
                try? connection?.withdraw(type)
            }
        case AVAHI_CLIENT_CONNECTING: say(unavailable: .noDaemon)
        default: disconnect()
        }
    }

    /// Starts to browse, once the daemon is there. Returns false if that failed.
    private func begin() -> Bool {
        guard let connection else { return false }
        do {
            if browses, !connection.isBrowsing { try connection.browse() }
        } catch {
            if !error.isDisconnection { say(unavailable: error.asDiscoveryFailure) }
            disconnect()
            return false
        }
        connectBackoff.reset()
        if availability != .available { emit([.available]) }
        availability = .available
        return true
    }
}

// MARK: Advertising

extension DiscoveryLoop {
    /// When a service is to be published that waits. None can be while the daemon accepts nothing.
    private var publishDue: HostTime? { isRunning ? publishers.values.compactMap(\.due).min() : nil }

    /// Takes what page is to be announced: one of either type at most.
    private func wantPage() {
        let page = mailbox.page
        for type in [ServiceType.page, .securePage] {
            publishers[type]?.want(page?.type == type ? page : nil, on: connection, now: now)
        }
    }

    /// Publishes what is wanted and does not wait.
    private func publish() {
        guard isRunning, let connection else { return }
        for type in ServiceType.allCases { tell(type, publishers[type]?.publish(on: connection, now: now)) }
    }

    private func groupChanged(_ type: ServiceType, _ state: AvahiEntryGroupState) {
        guard let connection else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: tell(type, publishers[type]?.establish())
        case AVAHI_ENTRY_GROUP_COLLISION: tell(type, publishers[type]?.rename(on: connection, now: now))
        case AVAHI_ENTRY_GROUP_FAILURE: tell(type, publishers[type]?.loseService(now: now))
        default: break
        }
    }

    private func tell(_ type: ServiceType, _ news: ServicePublisher.News?) {
        switch (type, news) {
        case (_, nil): break
        case (.peer, .advertised(let name)): emit([.advertised(serviceName: name)])
        case (.peer, .rejected(let reason)): emit([.notAdvertised(reason: reason)])
        case (.page, .advertised(let name)), (.securePage, .advertised(let name)):
            emit([.pageAdvertised(serviceName: name)])
        case (.page, .rejected(let reason)), (.securePage, .rejected(let reason)):
            emit([.pageNotAdvertised(reason: reason)])
        }
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
