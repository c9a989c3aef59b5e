import AudioCore
import Peering
import WireProtocol

/// Who is there, as mDNS would tell: late by tens of milliseconds, and long after a machine has died. What is announced
/// while the network is cut between two machines is heard within a second of its mending.
public final class VirtualDiscovery {
    /// What a browser is told.
    public enum News {
        case found(PeerContact)
        case lost(PeerContact.Key)
    }

    private let loop: EventLoop
    private var random: SimulationRandom
    private var records: [PeerContact] = []
    private var browsers: [Browser] = []
    /// Whether what a host announces does not reach a machine.
    var isCut: (_ host: String, _ machine: VirtualMachine) -> Bool = { _, _ in false }

    private struct Browser {
        var machine: VirtualMachine
        var tell: (News) -> Void
        /// What it was told of, and not told to be gone, in that order.
        var known: [PeerContact] = []
        /// Whether there is news that did not reach it.
        var hasMissed = false
    }

    /// Probing for the name and announcing it takes this long.
    public static let registrationTime = TimeSpan.milliseconds(900)
    /// Address records of machines that lost power live this long (RFC 6762 section 10).
    static let staleTime = TimeSpan.seconds(120)

    public init(loop: EventLoop, random: SimulationRandom) {
        self.loop = loop
        self.random = random
    }

    /// Tells what is known already, a tenth of a second later, and then all that changes.
    public func browse(on machine: VirtualMachine, _ tell: @escaping (News) -> Void) {
        browsers.append(Browser(machine: machine, tell: tell))
        for record in records { pass(.found(record), to: browsers.count - 1) }
    }

    /// Announces a record, or what has changed of it.
    public func publish(_ contact: PeerContact) {
        if let index = records.firstIndex(where: { $0.key == contact.key }) {
            records[index] = contact
        } else {
            records.append(contact)
        }
        for index in browsers.indices { pass(.found(contact), to: index) }
    }

    /// Goodbye, or a record that nobody refreshed.
    public func withdraw(_ key: PeerContact.Key) {
        records.removeAll { $0.key == key }
        for index in browsers.indices { pass(.lost(key), to: index) }
    }

    /// The machine died: caches keep its record for a while.
    public func expire(_ key: PeerContact.Key) {
        loop.after(Self.staleTime) { [unowned self] in withdraw(key) }
    }

    /// The network was mended somewhere: machines there ask, and announce themselves, anew.
    func refresh() {
        for index in browsers.indices where browsers[index].hasMissed && browsers[index].machine.isAlive {
            browsers[index].hasMissed = false
            let known = browsers[index].known
            let span = TimeSpan.milliseconds(100) ... .milliseconds(900)
            for record in records where !known.contains(record) { pass(.found(record), to: index, within: span) }
            for old in known where !records.contains(where: { $0.key == old.key }) {
                pass(.lost(old.key), to: index, within: span)
            }
        }
    }

    /// A machine sees that it has no network: its mDNS knows nobody any more.
    func forgetAll(on machine: VirtualMachine) {
        for index in browsers.indices where browsers[index].machine === machine {
            browsers[index].hasMissed = true
            let browser = browsers[index]
            browsers[index].known = []
            for contact in browser.known where contact.addresses.first?.host != machine.name {
                machine.after(.milliseconds(20)) { browser.tell(.lost(contact.key)) }
            }
        }
    }

    private func pass(
        _ news: News, to index: Int, within span: ClosedRange<TimeSpan> = .milliseconds(20) ... .milliseconds(120)
    ) {
        loop.after(random.span(span)) { [unowned self] in
            guard isCurrent(news) else { return }
            let browser = browsers[index]
            if let host = host(of: news, for: browser), isCut(host, browser.machine) {
                browsers[index].hasMissed = true
                return
            }
            note(news, of: index)
            browser.machine.after(.zero) { browser.tell(news) }
        }
    }

    private func host(of news: News, for browser: Browser) -> String? {
        switch news {
        case .found(let contact): contact.addresses.first?.host
        case .lost(let key): browser.known.first { $0.key == key }?.addresses.first?.host
        }
    }

    private func note(_ news: News, of index: Int) {
        switch news {
        case .found(let contact):
            if let place = browsers[index].known.firstIndex(where: { $0.key == contact.key }) {
                browsers[index].known[place] = contact
            } else {
                browsers[index].known.append(contact)
            }
        case .lost(let key): browsers[index].known.removeAll { $0.key == key }
        }
    }

    /// Whether nothing newer was announced meanwhile: news must not overtake each other.
    private func isCurrent(_ news: News) -> Bool {
        switch news {
        case .found(let contact): records.contains(contact)
        case .lost(let key): !records.contains { $0.key == key }
        }
    }
}

extension Greeting {
    /// What mDNS knows its process by: names are apart on a network.
    var contactKey: PeerContact.Key { .instance(instance, service: name) }
}
