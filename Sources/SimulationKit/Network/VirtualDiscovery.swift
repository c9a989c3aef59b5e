import AudioCore
import Peering

/// Who is there, as mDNS would tell: late by tens of milliseconds, and long after a machine has died.
public final class VirtualDiscovery {
    /// What a browser is told.
    public enum News {
        case found(PeerContact)
        case lost(PeerContact.Key)
    }

    private let loop: EventLoop
    private var random: SimulationRandom
    private var records: [PeerContact] = []
    private var browsers: [(machine: VirtualMachine, tell: (News) -> Void)] = []

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
        browsers.append((machine, tell))
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

    private func pass(_ news: News, to index: Int) {
        let browser = browsers[index]
        loop.after(random.span(.milliseconds(20) ... .milliseconds(120))) { [unowned self] in
            guard isCurrent(news) else { return }
            browser.machine.after(.zero) { browser.tell(news) }
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
