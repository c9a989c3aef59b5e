import Glibc
import LANKit
import Testing

/// Discovery through real daemons, on hosts with networks of their own.
///
/// What a test waits for has a generous limit, since machines freeze; what is claimed to be quick is measured by the
/// smallest of the limits that a working mDNS can keep.
@Suite(.serialized, .enabled(if: geteuid() == 0, "network namespaces need root"), .timeLimit(.minutes(5)))
struct DiscoveryLANTests {
    private static let patience = 10.0

    private let lan: LAN
    private let running = Running()

    /// Processes end with the last reference to them: these go on to the end of the test, whoever forgets them.
    private final class Running {
        var processes: [LANProcess] = []
    }

    init() throws { lan = try LAN(hosts: 2) }

    private func probe(_ host: Int, _ name: String, instance: Int, _ arguments: String...) throws -> LANProcess {
        let process = try lan[host].spawn(
            [buildDirectory + "/discovery-probe", "--name", name, "--instance", "\(instance)"] + arguments)
        running.processes.append(process)
        return process
    }

    private func advertise(_ host: Int, _ name: String, instance: Int) throws -> LANProcess {
        let process = try probe(host, name, instance: instance)
        try process.waitForLine(containing: "ADVERTISED", within: Self.patience)
        return process
    }

    @Test func aBrowserFindsWhatIsThereWithinASecond() throws {
        _ = try advertise(0, "Kitchen", instance: 1)
        let browser = try probe(1, "", instance: 2, "--browse-only")
        let line = try browser.waitForLine(containing: "FOUND 1 [Kitchen]", within: Self.patience)
        // From when it began to look: a program may take its time to start.
        let milliseconds = try #require(line.split(separator: "after=").last.flatMap { Double($0) })
        #expect(milliseconds < 1_000)
        #expect(line.contains("port=4711"))
        // One address may be told of before the other.
        let whole = try browser.waitForLine(containing: "10.77.0.1", within: Self.patience)
        #expect(whole.contains("fe80::"))
    }

    @Test func browsingDoesNotWaitForOurOwnRegistration() throws {
        _ = try advertise(0, "Kitchen", instance: 1)
        let other = try probe(1, "Hall", instance: 2)
        try other.waitForLine(containing: "ADVERTISED Hall", within: Self.patience)
        let lines = other.lines
        let found = try #require(lines.firstIndex { $0.hasPrefix("FOUND 1 ") })
        let advertised = try #require(lines.firstIndex { $0.hasPrefix("ADVERTISED") })
        #expect(found < advertised)
    }

    @Test func hostsFindEachOther() throws {
        let one = try advertise(0, "Kitchen", instance: 1)
        let two = try advertise(1, "Hall", instance: 2)
        try one.waitForLine(containing: "FOUND 2 [Hall]", within: 1)
        try two.waitForLine(containing: "FOUND 1 [Kitchen]", within: 1)
    }

    @Test func aNameThatIsTakenOnThisHostIsReplaced() throws {
        let first = try advertise(0, "Kitchen", instance: 1)
        let second = try probe(0, "Kitchen", instance: 2)
        try second.waitForLine(containing: "ADVERTISED Kitchen #2", within: Self.patience)
        try first.waitForLine(containing: "FOUND 2 [Kitchen #2]", within: Self.patience)
    }

    /// Which of the two keeps the name is for avahi to decide.
    @Test func aNameThatIsTakenOnAnotherHostIsReplaced() throws {
        let first = try advertise(0, "Kitchen", instance: 1)
        let second = try advertise(1, "Kitchen", instance: 2)
        try waitUntil("one of them to be renamed", within: Self.patience) {
            (first.lines + second.lines).contains("ADVERTISED Kitchen #2")
        }
        let browser = try probe(0, "", instance: 3, "--browse-only")
        for observer in [browser, first] {
            try waitUntil("where the two are to be known: \(observer.lines)", within: Self.patience) {
                let one = Self.latest(1, of: observer), two = Self.latest(2, of: observer)
                return (observer === first || (one.contains("10.77.0.1,") && !one.contains("10.77.0.2,")))
                    && two.contains("10.77.0.2,") && !two.contains("10.77.0.1,")
            }
        }
        let names = (1...2).map { Self.latest($0, of: browser) }
        #expect(names.count { $0.contains("[Kitchen]") } == 1, "\(names)")
        #expect(names.count { $0.contains("[Kitchen #2]") } == 1, "\(names)")
    }

    /// The last line of `probe` that says something about the peer of this number.
    private static func latest(_ number: Int, of probe: LANProcess) -> String {
        probe.lines.last { $0.contains("D \(number) [") } ?? ""
    }

    @Test func aGoodbyeIsHeard() throws {
        let leaver = try advertise(0, "Kitchen", instance: 1)
        let browser = try probe(1, "", instance: 2, "--browse-only")
        try browser.waitForLine(containing: "FOUND 1", within: Self.patience)
        leaver.signal(SIGTERM)
        try leaver.waitForLine(containing: "STOPPED", within: 1)
        // RFC 6762 section 10.1: a record that said goodbye is kept for one more second.
        try browser.waitForLine(containing: "LOST 1", within: 2)
    }

    @Test func aProcessThatIsKilledIsGoneAsWell() throws {
        let victim = try advertise(0, "Kitchen", instance: 1)
        let browser = try probe(1, "", instance: 2, "--browse-only")
        try browser.waitForLine(containing: "FOUND 1", within: Self.patience)
        victim.signal(SIGKILL)
        try browser.waitForLine(containing: "LOST 1", within: 2)
    }

    /// A service that names the process of another is told of beside that one's own, which stays as it is.
    @Test func aForgedRecordStandsBesideTheTrueOne() throws {
        _ = try advertise(0, "Kitchen", instance: 1)
        let browser = try probe(1, "", instance: 2, "--browse-only")
        try browser.waitForLine(containing: "FOUND 1 [Kitchen]", within: Self.patience)
        let forger = try probe(1, "Impostor", instance: 1, "--advertise-only")
        let forged = try browser.waitForLine(containing: "FOUND 1 [Impostor]", within: Self.patience)
        #expect(forged.contains("10.77.0.2") && !forged.contains("10.77.0.1,"))
        forger.signal(SIGTERM)
        try browser.waitForLine(containing: "LOST 1 [Impostor]", within: Self.patience)
        let ofKitchen = browser.lines.filter { $0.contains(" 1 [Kitchen]") }
        #expect(ofKitchen.allSatisfy { !$0.hasPrefix("LOST") && $0.contains("10.77.0.1") && !$0.contains("10.77.0.2") })
    }

    @Test func aRestartedDaemonIsTakenUpAgain() throws {
        let survivor = try advertise(0, "Kitchen", instance: 1)
        let other = try advertise(1, "Hall", instance: 2)
        try survivor.waitForLine(containing: "FOUND 2", within: Self.patience)
        try lan[0].stopAvahi()
        try survivor.waitForLine(containing: "UNAVAILABLE", within: Self.patience)
        try lan[0].startAvahi()
        try waitUntil("the service to be registered anew", within: Self.patience) {
            survivor.lines.count { $0 == "ADVERTISED Kitchen" } == 2
        }
        try waitUntil("the other host to find it again", within: Self.patience) {
            other.lines.count { $0.hasPrefix("FOUND 1 ") } == 2
        }
        // A peer that was there all the time was never told to be lost; the outage was told once.
        #expect(!survivor.lines.contains { $0.hasPrefix("LOST 2") })
        #expect(survivor.lines.count { $0.hasPrefix("UNAVAILABLE") } == 1)
    }

    @Test func aPeerThatLeftDuringAnOutageIsLostAfterIt() throws {
        let survivor = try advertise(0, "Kitchen", instance: 1)
        let leaver = try advertise(1, "Hall", instance: 2)
        try survivor.waitForLine(containing: "FOUND 2", within: Self.patience)
        try lan[0].stopAvahi()
        try survivor.waitForLine(containing: "UNAVAILABLE", within: Self.patience)
        leaver.signal(SIGTERM)
        try leaver.wait(within: Self.patience)
        try lan[0].startAvahi()
        try survivor.waitForLine(containing: "LOST 2", within: Self.patience)
    }

    // MARK: The page for browsers

    private func pages() throws -> [String] { try lan[1].services(ofType: "_http._tcp") }

    private func waitForPages(_ expected: [String]) throws {
        var found: [String] = []
        do {
            try waitUntil("the pages", within: Self.patience) {
                found = try pages()
                return found.sorted() == expected.sorted()
            }
        } catch { Issue.record("\(error): \(expected), not \(found)") }
    }

    @Test func aPageIsThereMovesAndGoes() throws {
        let probe = try probe(0, "Kitchen", instance: 1, "--page", "28885")
        try probe.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
        try waitForPages(["Tutti: Kitchen 28885 path=/"])
        probe.signal(SIGUSR1)
        try waitForPages(["Tutti: Kitchen 28886 path=/"])
        probe.signal(SIGUSR2)
        try waitForPages([])
        // The peer stays all the while, and the page keeps its name.
        let peers = try lan[1].services(ofType: "_tutti._tcp")
        #expect(peers.count == 1 && peers[0].hasPrefix("Kitchen 4711 "), "\(peers)")
        #expect(probe.lines.filter { $0.hasPrefix("PAGE") } == Array(repeating: "PAGE Tutti: Kitchen", count: 2))
    }

    @Test func aPageBehindTLSIsOfItsOwnType() throws {
        let probe = try probe(0, "Kitchen", instance: 1, "--page", "28885", "--secure")
        try probe.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
        try waitUntil("the page", within: Self.patience) {
            try lan[1].services(ofType: "_https._tcp") == ["Tutti: Kitchen 28885 path=/"]
        }
        #expect(try pages() == [])
        probe.signal(SIGUSR2)
        try waitUntil("its end", within: Self.patience) { try lan[1].services(ofType: "_https._tcp").isEmpty }
    }

    @Test func aPageGoesWithItsProcess() throws {
        for ending in [SIGTERM, SIGKILL] {
            let probe = try probe(0, "Kitchen", instance: 1, "--page", "28885")
            try probe.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
            try waitForPages(["Tutti: Kitchen 28885 path=/"])
            probe.signal(ending)
            try waitForPages([])
        }
    }

    @Test func pagesOfTheSameNameGetNamesOfTheirOwn() throws {
        for number in 1...2 {
            let probe = try probe(0, "Kitchen", instance: number, "--advertise-only", "--page", "\(28_884 + number)")
            try probe.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
        }
        try waitForPages(["Tutti: Kitchen 28885 path=/", "Tutti: Kitchen #2 28886 path=/"])
    }

    @Test func noPeerTakesAPageForAPeer() throws {
        let browser = try probe(1, "", instance: 2, "--browse-only")
        let other = try probe(0, "Kitchen", instance: 1, "--page", "28885")
        try other.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
        try browser.waitForLine(containing: "FOUND 1 [Kitchen]", within: Self.patience)
        try waitForPages(["Tutti: Kitchen 28885 path=/"])
        let ofPeers = browser.lines.filter { $0.contains("[") }
        #expect(ofPeers.allSatisfy { $0.contains(" 1 [Kitchen]") }, "\(browser.lines)")
    }

    @Test func aPageIsAnnouncedAgainByARestartedDaemon() throws {
        let probe = try probe(0, "Kitchen", instance: 1, "--page", "28885")
        try probe.waitForLine(containing: "PAGE Tutti: Kitchen", within: Self.patience)
        try lan[0].stopAvahi()
        try probe.waitForLine(containing: "UNAVAILABLE", within: Self.patience)
        try lan[0].startAvahi()
        try waitForPages(["Tutti: Kitchen 28885 path=/"])
    }
}

/// Discovery where its daemons are missing.
@Suite(.serialized, .enabled(if: geteuid() == 0, "network namespaces need root"), .timeLimit(.minutes(5)))
struct MissingDaemonLANTests {
    private let lan: LAN

    init() throws {
        var bare = HostOptions()
        bare.hasDiscovery = false
        lan = try LAN(hosts: [bare])
    }

    private func probe() throws -> LANProcess { try lan[0].spawn([buildDirectory + "/discovery-probe"]) }

    @Test func withoutABusItSaysWhatToDo() throws {
        let process = try probe()
        let line = try process.waitForLine(containing: "UNAVAILABLE", within: 5)
        #expect(line.contains("D-Bus") && line.contains("avahi-daemon") && line.contains("address"))
        process.signal(SIGTERM)
        #expect(try process.wait(within: 2) == .exited(0))
        #expect(process.lines.count == 2)
    }

    @Test func daemonsThatComeLaterAreTakenUp() throws {
        let process = try probe()
        try process.waitForLine(containing: "UNAVAILABLE", within: 5)
        try lan[0].startDiscovery()
        try process.waitForLine(containing: "ADVERTISED probe", within: 15)
        #expect(process.lines.count { $0.hasPrefix("UNAVAILABLE") } == 1)
    }
}
