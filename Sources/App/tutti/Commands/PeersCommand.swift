import AudioCore
import Peering
import TuttiRuntime

/// `tutti peers`
struct PeersCommand: Command {
    static let duration = CommandSyntax.Option.value("--for", "SECONDS", "How long to search. Default: 1.5.")

    static let syntax = CommandSyntax(
        name: "peers",
        summary: "Lists who is on the network, and what is playing.",
        operands: [],
        options: [duration, DisplayFlags.json, .help],
        notes: [
            "What plays is asked of the broadcasts that were found: it takes a second longer if one does not answer, and "
                + "two at most.",
            "A machine that lost its power or network stays in the list for some minutes.",
            "With --json, activity is idle, waiting, playing, paused or stopped; unanswered or refused for a broadcaster "
                + "that tells nothing; unknown for a listener that only such a one may know.",
            "Exit code: 0, also when nobody is there; 64 for a wrong command line, 69 without mDNS.",
        ],
        examples: [
            .init(command: "tutti peers", meaning: "a table of names, roles and addresses"),
            .init(command: "tutti peers --for 5 --json", meaning: "searches longer, one JSON object a line"),
        ])

    private static let nobody = """
        nobody there. Check that 'tutti join' or 'tutti broadcast' runs on another machine of the same network, that \
        a firewall lets UDP 5353 and TCP and UDP \(NetworkAddress.defaultPort) through, and that the network carries \
        multicast (guest Wi-Fi, VLANs and containers often do not); 'tutti join HOST' works without.
        """

    let span: TimeSpan
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        span = try arguments.seconds(Self.duration, in: 0.1...3_600) ?? .milliseconds(1_500)
        isJSON = arguments.has(DisplayFlags.json)
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            let peers = try PeerList.browse(for: span, as: SessionRunner.identity())
            if isJSON {
                ListOutput.write(peers.map(\.json))
            } else if peers.isEmpty {
                StandardStream.error.write("tutti: \(Self.nobody)\n")
            } else {
                ListOutput.write(Self.table(peers))
            }
        }
    }

    static func table(_ peers: [PeerEntry]) -> Table {
        var table = Table(columns: [
            .init(title: "name", dropOrder: 0),
            .init(title: "role", dropOrder: 2),
            .init(title: "playing", dropOrder: 3),
            .init(title: "address", dropOrder: 1),
        ])
        table.rows = peers.map { peer in
            [
                .init(text: peer.name.terminalSafe, style: .strong),
                .init(text: peer.role),
                .init(text: peer.nowPlaying.terminalSafe.truncated(to: 40)),
                .init(text: peer.addresses.first?.description ?? peer.hostName.terminalSafe),
            ]
        }
        return table
    }
}

extension PeerEntry {
    var role: String {
        var parts: [String] = []
        if roles.contains(.broadcaster) { parts.append("broadcaster") }
        if roles.contains(.listener) { parts.append("listener") }
        return parts.joined(separator: ", ")
    }

    /// The song that it plays, or why none is heard.
    var nowPlaying: String {
        switch activity {
        case .playing: playing ?? "playing"
        case .idle, .waiting, .paused, .stopped: playing.map { "\(activity): \($0)" } ?? "\(activity)"
        case .unanswered: "does not answer"
        case .refused: "does not tell"
        case .unknown: "unknown"
        }
    }

    var json: JSONValue {
        .object([
            "name": .string(name), "role": .string(role), "activity": .string(activity.rawValue),
            "playing": .optional(playing),
            "addresses": .array(addresses.map { .string($0.description) }), "hostName": .string(hostName),
            "protocolVersion": .integer(Int64(protocolVersion)), "id": .string(peer.description),
            "instance": .string(instance.sixteenHexDigits),
        ])
    }
}

extension UInt64 {
    fileprivate var sixteenHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
