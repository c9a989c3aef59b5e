import AudioCore
import Peering
import ProgrammeJSON
import TerminalIO
import TuttiRuntime

/// `tutti peers [forget NAME]`
struct PeersCommand: Command {
    static let duration = CommandSyntax.Option.value("--for", "SECONDS", "How long to search. Default: 1.5.")

    static let syntax = CommandSyntax(
        name: "peers",
        summary: "Lists who is on the network, and what is playing.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list the peers. forget NAME: let the name belong to whoever comes next under it, after a "
                    + "machine was set up anew.",
                candidates: .verbs([.init("forget", .names(.peers))]))
        ],
        options: [duration, DisplayFlags.json, .help],
        notes: [
            "What plays is asked of the broadcasts that were found: it takes a second longer if one does not answer, and "
                + "two at most.",
            "A machine that lost its power or network stays in the list for some minutes.",
            "A name belongs to the key of the machine that first took part in a broadcast under it. Another machine that "
                + "goes by it is told of, and not taken by --to and --from. 256 names are kept in the state directory; "
                + "those that you never named go first.",
            "Standing is member or removed by this machine's household, known for a key that came before under a name, and "
                + "else new. A broadcaster proves its key; what a listener is said to be is what it announces. 'tutti "
                + "household' lists members that are not there, too.",
            "With --json, standing may also be thisMachine, and activity is idle, waiting, playing, paused or stopped; "
                + "unanswered or refused for a broadcaster that tells nothing; unknown for a listener that only such a "
                + "one may know.",
            "Exit code: 0, also when nobody is there; 64 for a wrong command line, 68 for a name that is not known, 69 "
                + "without mDNS, 73 where the state directory cannot be written.",
        ],
        examples: [
            .init(command: "tutti peers", meaning: "a table of names, roles and addresses"),
            .init(command: "tutti peers --for 5 --json", meaning: "searches longer, one JSON object a line"),
            .init(command: "tutti peers forget Kitchen", meaning: "takes the next Kitchen, whatever its key"),
        ])

    private static let nobody = """
        nobody there. Check that 'tutti join' or 'tutti broadcast' runs on another machine of the same network, that \
        a firewall lets UDP 5353 and TCP and UDP \(NetworkAddress.defaultPort) through, and that the network carries \
        multicast (guest Wi-Fi, VLANs and containers often do not); 'tutti join HOST' works without.
        """

    enum Request: Hashable {
        case list
        case forget(PeerName)
    }

    let request: Request
    let span: TimeSpan
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        request = try Self.request(arguments.operands)
        span = try arguments.seconds(Self.duration, in: 0.1...3_600) ?? .milliseconds(1_500)
        isJSON = arguments.has(DisplayFlags.json)
    }

    static func request(_ words: [String]) throws(UsageError) -> Request {
        guard let verb = words.first else { return .list }
        guard verb == "forget", words.count == 2, let name = PeerName(words[1]) else {
            throw UsageError("write: tutti peers, or tutti peers forget NAME")
        }
        return .forget(name)
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            switch request {
            case .list: try list()
            case .forget(let name): try forget(name)
            }
        }
    }

    private func list() throws(RuntimeFailure) {
        let identity = try SessionRunner.identity()
        let pins = Self.pins(in: PinFile.standard(), warn: SessionRunner.warn)
        let peers = try PeerList.browse(for: span, as: identity, pins: pins)
        if isJSON {
            ListOutput.write(peers.map(\.json))
        } else if peers.isEmpty {
            StandardStream.error.write("tutti: \(Self.nobody)\n")
        } else {
            ListOutput.write(Self.table(peers))
        }
    }

    /// Returns whom this machine has met: nobody, with a warning, if that cannot be read.
    static func pins(in file: PinFile?, warn: (String) -> Void) -> PinnedNames {
        do throws(MemoryFailure) {
            return try file?.load() ?? PinnedNames()
        } catch {
            warn(error.message)
            return PinnedNames()
        }
    }

    private func forget(_ name: PeerName) throws(RuntimeFailure) {
        let (forgotten, left) = try PinFile.standard()?.forgetOrFail(name) ?? (nil, PinnedNames())
        guard let forgotten else { throw RuntimeFailure(.unknownPeer, .other(Self.unknown(name, among: left))) }
        StandardStream.output.write(
            "'\(forgotten.name.text)' is forgotten: the name belongs to whoever comes next under it\n".terminalSafeLine)
    }

    static func unknown(_ name: PeerName, among pins: PinnedNames) -> String {
        let near = name.text.nearest(among: pins.all.map(\.name.text).sorted()).map { "; did you mean '\($0)'?" } ?? ""
        return "nobody called '\(name.text)' was met\(near)"
    }

    static func table(_ peers: [PeerEntry]) -> Table {
        var table = Table(columns: [
            .init(title: "name", dropOrder: 0),
            .init(title: "role", dropOrder: 2),
            .init(title: "standing", dropOrder: 4),
            .init(title: "playing", dropOrder: 3),
            .init(title: "address", dropOrder: 1),
        ])
        table.rows = peers.map { peer in
            [
                .init(text: peer.name.terminalSafe, style: .strong),
                .init(text: peer.role),
                .init(text: peer.relation.reading),
                .init(text: peer.nowPlaying.terminalSafe.truncated(to: 40)),
                .init(text: peer.addresses.first?.description ?? peer.hostName.terminalSafe),
            ]
        }
        return table
    }
}

extension PinFile {
    fileprivate func forgetOrFail(
        _ name: PeerName
    ) throws(RuntimeFailure) -> (forgotten: PinnedNames.Pin?, left: PinnedNames) {
        do throws(PrivateFileError) {
            return try forget(name)
        } catch {
            throw RuntimeFailure(error)
        }
    }
}

extension PeerEntry {
    var role: String {
        var parts: [String] = []
        if roles.contains(.broadcaster) { parts.append("broadcaster") }
        if roles.contains(.listener) { parts.append("listener") }
        if roles.contains(.pairing) { parts.append("pairing") }
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
            "name": .string(name), "role": .string(role), "standing": .string(relation.rawValue),
            "activity": .string(activity.rawValue), "playing": .optional(playing),
            "addresses": .array(addresses.map { .string($0.description) }), "hostName": .string(hostName),
            "protocolVersion": .integer(Int64(protocolVersion)), "id": .string(peer.description),
            "instance": .string(instance.sixteenHexDigits),
        ])
    }
}

extension PeerRelation {
    fileprivate var reading: String { self == .thisMachine ? "this machine" : rawValue }
}

extension UInt64 {
    fileprivate var sixteenHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
