import AudioCore
import CAvahi

// A service is committed, then probed on the network for most of a second (another host may claim the name), then
// established. If the name is taken, the next one ("Name #2") is tried from the start. A name found free is kept, even
// over restarts of the daemon. What is announced never changes: a record that changed while its name is probed would
// look like another host's claim to it, since an earlier probe of ours may be heard again (RFC 6762, section 8.2). So a
// service that is to change is withdrawn, and announced anew a second later, when its goodbye has taken effect in every
// cache (section 10.1).

/// What announces services: avahi-daemon.
protocol ServiceRegistrar: AnyObject {
    /// Announces a service under exactly this name, in place of the one of its type.
    ///
    /// - Throws: a collision, if this host has a service of that name. One on another host is told of later.
    func publish(_ service: ServiceAdvertisement) throws(AvahiFailure)

    /// Withdraws the service of this type, if there is one.
    func withdraw(_ type: ServiceType) throws(AvahiFailure)
}

/// Keeps one service announced. Used by the discovery thread only.
struct ServicePublisher {
    /// What became of the service.
    enum News {
        case advertised(serviceName: String)
        case rejected(reason: String)
    }

    private static let withdrawalSpan = TimeSpan.seconds(1)

    private let type: ServiceType
    private var wanted: ServiceAdvertisement?
    /// The wanted one under the name that was free, or that is tried next. Nil if none is wanted.
    private var candidate: ServiceAdvertisement?
    /// Whether the daemon has the candidate.
    private var isPublished = false
    private var reportedName: String?
    /// When to publish if not at once.
    private(set) var due: HostTime?
    /// Until when nothing may be published, since a service was withdrawn.
    private var withdrawalEnd = HostTime(nanoseconds: .min)
    private var backoff = Backoff(first: .seconds(1), limit: .seconds(30))
    private var saidRejected = false

    init(_ type: ServiceType, _ wanted: ServiceAdvertisement? = nil) {
        self.type = type
        self.wanted = wanted
        candidate = wanted
    }

    /// Takes what is to be announced from now on; nil for nothing. What is announced and differs is withdrawn.
    mutating func want(_ new: ServiceAdvertisement?, on registrar: (any ServiceRegistrar)?, now: HostTime) {
        guard new != wanted else { return }
        wanted = new
        // The name wanted now may be the one that it got when the former was taken.
        guard new != candidate else { return }
        candidate = new
        if isPublished {
            // Fails if the daemon is gone, and the service with it.
            try? registrar?.withdraw(type)
            withdrawalEnd = now + Self.withdrawalSpan
        }
        forget()
        due = new == nil ? nil : max(due ?? now, withdrawalEnd)
    }

    /// Forgets what was published: the daemon accepts nothing for now.
    mutating func forget() {
        isPublished = false
        reportedName = nil
    }

    /// Forgets what was published, and what was to wait: the daemon is gone.
    mutating func loseConnection() {
        forget()
        due = nil
    }

    /// Gives the daemon what is wanted, if it does not have it already and nothing is to be waited for.
    mutating func publish(on registrar: any ServiceRegistrar, now: HostTime) -> News? {
        guard candidate != nil, !isPublished, due.map({ $0 <= now }) != false else { return nil }
        due = nil
        do throws(AvahiFailure) {
            try register(on: registrar)
            isPublished = true
            return nil
        } catch {
            return fail(error, now: now)
        }
    }

    /// Takes the next name, because another host has this one.
    mutating func rename(on registrar: any ServiceRegistrar, now: HostTime) -> News? {
        // A collision may be told of what was withdrawn since.
        guard isPublished else { return nil }
        takeNextName()
        forget()
        return publish(on: registrar, now: now)
    }

    /// Notes that the name is ours, and returns it if it is new.
    mutating func establish() -> News? {
        guard isPublished, let name = candidate?.name else { return nil }
        saidRejected = false
        backoff.reset()
        guard reportedName != name else { return nil }
        reportedName = name
        return .advertised(serviceName: name)
    }

    /// Notes that the daemon gave the service up.
    mutating func loseService(now: HostTime) -> News? {
        guard isPublished else { return nil }
        return fail(AvahiFailure(operation: "advertise", code: AVAHI_ERR_FAILURE), now: now)
    }

    /// Returns why a step failed, once until one succeeds; it is tried again later.
    private mutating func fail(_ failure: AvahiFailure, now: HostTime) -> News? {
        forget()
        guard !failure.isDisconnection else { return nil }
        due = now + backoff.next()
        defer { saidRejected = true }
        return saidRejected ? nil : .rejected(reason: failure.text)
    }

    private mutating func register(on registrar: any ServiceRegistrar) throws(AvahiFailure) {
        for attempt in 1... {
            guard let candidate else { return }
            do {
                return try registrar.publish(candidate)
            } catch {
                guard error.isCollision, attempt < DiscoveryLimits.renameCount else { throw error }
                takeNextName()
            }
        }
    }

    private mutating func takeNextName() {
        if let name = candidate?.name { candidate?.name = alternativeServiceName(to: name) }
    }
}
