import Discovery

/// Whether mDNS works here: avahi-daemon, its answers, and who else takes part.
struct DiscoveryFacts: Judged {
    /// What became of a service of the doctor's own.
    enum OwnService: Hashable, Sendable {
        /// There was no daemon to announce it, or no time.
        case notAnnounced
        case rejected(reason: String)
        case announced
    }

    struct Sighting: Hashable, Sendable {
        var hostName: String
        var addresses: [String]
    }

    /// Why there is no mDNS; nil where there is.
    var failure: DiscoveryFailure?
    var ownService = OwnService.notAnnounced
    /// As what the own service was found again.
    var sightings: [Sighting] = []
    /// This machine's name, without a domain.
    var hostName: String
    var ownAddresses: Set<String>
    /// Programs at UDP port 5353.
    var responders: [OpenFiles.Holder] = []
    /// What the network answered for this machine's name, and for those of peers.
    var answers: [HostAnswer] = []
    /// Whether the network was asked: on an interface with IPv4 and multicast.
    var hasAsked = false

    var findings: [Finding] {
        let main = failure.map { [Self.finding($0)] } ?? daemonFindings
        return main + others + liars
    }

    private static let whyNobody = "nobody is found, and nobody finds this machine; connecting by address works without"

    private static func finding(_ failure: DiscoveryFailure) -> Finding {
        switch failure {
        case .noSystemBus:
            Finding(
                "avahi.no-bus", .problem, "no D-Bus system bus is running, over which avahi-daemon is asked",
                why: whyNobody,
                remedy: "sudo apt install dbus avahi-daemon; then: sudo systemctl enable --now dbus avahi-daemon")
        case .noDaemon:
            Finding(
                "avahi.not-running", .problem, "avahi-daemon is not running", why: whyNobody,
                remedy: "sudo systemctl enable --now avahi-daemon (where it is missing: sudo apt install avahi-daemon)")
        case .accessDenied:
            Finding(
                "avahi.access-denied", .problem, "avahi-daemon refuses this user", why: whyNobody,
                remedy: "look at /etc/dbus-1/system.d/avahi-dbus.conf: groups that may use it")
        case .other(let text):
            Finding(
                "avahi.broken", .problem, "avahi-daemon does not work: \(String(heard: text))", why: whyNobody,
                remedy: "sudo systemctl restart avahi-daemon")
        }
    }

    private var daemonFindings: [Finding] {
        switch ownService {
        case .rejected(let reason):
            return [
                Finding(
                    "avahi.rejects", .problem, "avahi-daemon announces nothing: \(String(heard: reason))",
                    why: "this machine is not found",
                    remedy: "look for disable-publishing and disable-user-service-publishing in "
                        + "/etc/avahi/avahi-daemon.conf; then: sudo systemctl restart avahi-daemon")
            ]
        case .notAnnounced:
            return [
                Finding(
                    "avahi.slow", .problem, "avahi-daemon is there, and announces nothing within seconds",
                    why: "this machine is not found",
                    remedy: "sudo systemctl restart avahi-daemon; it waits where no interface is fit: see "
                        + "journalctl -u avahi-daemon")
            ]
        case .announced:
            guard !sightings.isEmpty else {
                return [
                    Finding(
                        "avahi.not-seen", .problem, "avahi-daemon announces a service and does not find it again",
                        why: Self.whyNobody,
                        remedy: "let UDP 5353 through this machine's firewall (sudo ufw allow 5353/udp); if it does: "
                            + "sudo systemctl restart avahi-daemon")
                ]
            }
            return renamed + portFindings
        }
    }

    private var renamed: [Finding] {
        guard let name = sightings.first.map({ String(heard: Self.firstLabel($0.hostName)) }),
            name.lowercased().hasPrefix(hostName.lowercased() + "-"),
            Int(name.dropFirst(hostName.count + 1)) != nil
        else { return [] }
        return [
            Finding(
                "avahi.renamed", .warning, "avahi-daemon calls this machine '\(name)': '\(hostName)' is taken",
                why: "another machine has the same name, or two mDNS stacks on this one contend for it",
                remedy: "give each machine a name of its own: sudo hostnamectl hostname NAME; then: "
                    + "sudo systemctl restart avahi-daemon")
        ]
    }

    private static func firstLabel(_ host: String) -> String { String(host.prefix { $0 != "." }) }

    /// Whether the daemon answers what comes over the network, as others ask it.
    private var portFindings: [Finding] {
        guard hasAsked, !isAnsweredHere else {
            return [
                Finding(
                    "avahi.works", .ok,
                    "avahi-daemon announces and finds" + (hasAsked ? ", and answers what comes over the network" : ""))
            ]
        }
        return [
            Finding(
                "avahi.unheard", .problem,
                "avahi-daemon works, but does not answer what is sent to UDP port 5353, not even from here",
                why: "a firewall on this machine stops mDNS, or avahi-daemon uses no interface with IPv4: peers are "
                    + "not found",
                remedy: "sudo firewall-cmd --add-service=mdns, sudo ufw allow 5353/udp, or see: sudo nft list ruleset; "
                    + "use-ipv4 in /etc/avahi/avahi-daemon.conf")
        ]
    }

    /// What this machine is called on the network: another name than its own where that was taken.
    private var ownHosts: Set<String> {
        sightings.isEmpty ? [hostName.lowercased() + ".local"] : Set(sightings.map { $0.hostName.lowercased() })
    }

    private var isAnsweredHere: Bool {
        answers.contains { ownHosts.contains($0.host.lowercased()) && ownAddresses.contains($0.sender) }
    }

    // MARK: Other stacks, and liars

    private static let daemonNames: Set<String> = ["avahi-daemon", "avahi"]
    /// Stacks that answer for the whole machine, unlike programs that only look for something.
    private static let stacks: Set<String> = ["systemd-resolve", "systemd-resolved", "mdnsd", "mDNSResponder"]

    private var others: [Finding] {
        let names = responders.filter { !Self.daemonNames.contains($0.name) }
        let stacks = names.filter { Self.stacks.contains($0.name) }
        let programs = names.filter { !Self.stacks.contains($0.name) }
        var found: [Finding] = []
        if !stacks.isEmpty {
            found.append(
                Finding(
                    "mdns.another-stack", .warning,
                    "another mDNS stack is on UDP port 5353: \(stacks.map(\.shown).listed)",
                    why: "two that answer for one machine contend for its name, and take each other's answers",
                    remedy: "of systemd-resolved: MulticastDNS=no in /etc/systemd/resolved.conf; then: "
                        + "sudo systemctl restart systemd-resolved avahi-daemon"))
        }
        if !programs.isEmpty {
            found.append(
                Finding(
                    "mdns.another-program", failure == nil ? .note : .warning,
                    "other programs use UDP port 5353: \(programs.map(\.shown).listed)",
                    why: "harmless where they only ask; one that answers for this machine contends with avahi-daemon"))
        }
        return found
    }

    private var liars: [Finding] {
        var found: [Finding] = []
        for answer in answers {
            let (host, sender) = (String(heard: answer.host), answer.sender)
            let claims = answer.addresses.listed
            if ownHosts.contains(answer.host.lowercased()) {
                guard !ownAddresses.contains(sender) else { continue }
                found.append(
                    Finding(
                        "mdns.liar", .problem, "\(sender) answers for this machine: '\(host)' is at \(claims), it says",
                        why: "who looks for this machine is sent elsewhere",
                        remedy: "give the machines different names, or take \(sender) off the network"))
            } else if !answer.addresses.contains(sender) {
                found.append(
                    Finding(
                        "mdns.liar", .warning, "\(sender) answers for '\(host)', which is at \(claims), it says",
                        why: "one that answers for others sends listeners elsewhere, unless it is a proxy or reflector",
                        remedy: "see what runs at \(sender)"))
            }
        }
        for sighting in sightings where !sighting.addresses.isEmpty {
            guard sighting.addresses.allSatisfy({ !ownAddresses.contains($0) }) else { continue }
            found.append(
                Finding(
                    "mdns.liar", .problem,
                    "this machine's own service is said to be at \(sighting.addresses.listed), which is not here",
                    why: "who looks for this machine is sent elsewhere",
                    remedy: "look for a machine of the same name, or one that answers for others"))
        }
        return found
    }
}

extension OpenFiles.Holder {
    var shown: String { process.map { "\(name) (\($0))" } ?? name }
}
