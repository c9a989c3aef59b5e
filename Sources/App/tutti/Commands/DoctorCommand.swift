import Diagnosis
import Glibc
import ProgrammeJSON
import TerminalIO
import TuttiRuntime

/// `tutti doctor [HOST[:PORT]]...`
struct DoctorCommand: Command {
    static let device = CommandSyntax.Option.value(
        "--device", "NAME", candidates: .names(.playbackDevices),
        "The sound device to look at, as 'tutti devices' lists it. Default: default.")
    static let noSound = CommandSyntax.Option.flag("--no-sound", "Leave the sound device alone.")
    static let tabs = CommandSyntax.Option.flag(
        "--tabs",
        "Find what another machine wants to know of this one: without sound, each finding a line of fields "
            + "that are separated by tabs. Asks no other machine, and returns 0."
    )
    .scoped(.nowhere)
    static let quiet = CommandSyntax.Option.flag("--quiet", short: "q", "Show no finding that is ok.")

    static let syntax = CommandSyntax(
        name: "doctor",
        summary: "Says what keeps Tutti from working here, and what mends it.",
        operands: [
            .init(
                name: "HOST[:PORT]", isRequired: false, repeats: true,
                help: "Peers to look at beside those that mDNS finds.")
        ],
        options: [device, noSound, quiet, DisplayFlags.json, tabs, .help],
        notes: [
            "It looks at avahi-daemon and whoever else uses UDP 5353, at the interfaces and multicast on them, at the "
                + "ways to each peer and its clock, real-time rights, the processor, Wi-Fi, the sound card while it "
                + "plays silence for some seconds, decoders and their sandbox, and the state directory. It takes about "
                + "8 seconds, needs no rights, and changes nothing.",
            "Each line is ok, a note, a warning or a problem, with a name that never changes. Below it stands why it "
                + "matters and what mends it.",
            "A broadcaster that is looked at says that somebody observes it. Listeners are called, and let go at once.",
            "Machines of one household that are reached are asked for their own findings meanwhile; what is not ok "
                + "there stands behind their names.",
            "With --json: one object a line, with severity, id, what, why, remedy and machine.",
            "Exit code: 0 when there was nothing worse than notes, 1 with a warning, 2 with a problem, 64 for a wrong "
                + "command line.",
        ],
        examples: [
            .init(command: "tutti doctor", meaning: "looks at this machine, and at all that mDNS finds"),
            .init(
                command: "tutti doctor -q 192.168.1.10", meaning: "only what is amiss, and one peer more"),
            .init(command: "tutti doctor --no-sound --json", meaning: "for programs, while the card is in use"),
        ])

    private(set) var options = DoctorOptions()
    let isJSON: Bool
    let isQuiet: Bool
    let isForOthers: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        for text in arguments.operands { options.addresses.append(try CommandArguments.address(text, for: "HOST")) }
        if let name = arguments.value(of: Self.device) { options.device = name }
        if arguments.has(Self.noSound) {
            guard arguments.value(of: Self.device) == nil else {
                throw UsageError(exclusive: [Self.device, Self.noSound])
            }
            options.device = nil
        }
        isJSON = arguments.has(DisplayFlags.json)
        isQuiet = arguments.has(Self.quiet)
        isForOthers = arguments.has(Self.tabs)
        if isForOthers { (options.device, options.asksPeers) = (nil, false) }
    }

    func run() -> Int32 {
        var options = options
        options.statePath = StateDirectory.standard()?.path
        // Libraries of sound servers make files there, too.
        let isElsewhere = ForeignHome.leave()
        options.startsWorkers = true
        if StandardStream.error.isTerminal { StandardStream.error.write("tutti: looking, for about 8 seconds\n") }
        let (identity, objections) = isElsewhere ? (Identity(), []) : Self.identity()
        let found = StandardStream.silencingOthers { Doctor.examine(options, as: identity) }
        let findings = objections + found
        let shown = isQuiet ? findings.filter { $0.severity > .ok } : findings
        if isForOthers {
            StandardStream.output.write(shown.map { $0.tabs + "\n" }.joined())
            return 0
        }
        if isJSON {
            ListOutput.write(shown.map(\.json))
        } else {
            StandardStream.output.write(shown.map(\.lines).joined() + Self.verdict(findings) + "\n")
        }
        return Self.exitCode(findings)
    }

    /// This machine's identity, so that peers treat us as they treat it; one for this once where there is none, or it
    /// cannot be used. And what is to be said of that.
    private static func identity() -> (Identity, [Finding]) {
        let state = StateDirectory.standard()
        do throws(RuntimeFailure) {
            let loaded = try IdentityStore(directory: state, hostName: Identity.hostName).look()
            // That there is no directory is found again.
            guard state != nil else { return (loaded.identity, []) }
            return (loaded.identity, loaded.warnings.map(Self.damagedKey))
        } catch {
            let finding = Finding(
                "state.unusable", .problem, error.sentence, why: "every command of Tutti stops with this",
                remedy: "see the line itself, and: ls -la '\(state?.path ?? "~")'")
            return (Identity(), [finding])
        }
    }

    private static func damagedKey(_ warning: String) -> Finding {
        Finding(
            "state.key-unusable", .warning, warning,
            why: "who knows this machine, and its household, take it for another one",
            remedy: "restore a copy of the key, or let the next command make a new one and pair it again: tutti pair")
    }

    /// 0 for nothing worse than notes, 1 for warnings, 2 for problems.
    static func exitCode(_ findings: [Finding]) -> Int32 {
        switch findings.map(\.severity).max() {
        case .problem: 2
        case .warning: 1
        case .note, .ok, nil: 0
        }
    }

    static func verdict(_ findings: [Finding]) -> String {
        let counts = [(Finding.Severity.problem, "problem"), (.warning, "warning")].compactMap { severity, name in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return counts.isEmpty ? "nothing is wrong" : counts.joined(separator: ", ")
    }
}

extension Finding {
    /// For people.
    fileprivate var lines: String {
        var lines = ["\(severity.mark)  \(id): \(machine.map { "[\($0)] " } ?? "")\(what)"]
        if severity > .ok {
            if let why { lines.append("         why: \(why)") }
            if let remedy { lines.append("         mend: \(remedy)") }
        }
        return lines.map { $0.terminalSafe + "\n" }.joined()
    }

    fileprivate var json: JSONValue {
        .object([
            "severity": .string(severity.rawValue), "id": .string(id), "what": .string(what), "why": .optional(why),
            "remedy": .optional(remedy), "machine": .optional(machine),
        ])
    }
}

extension Finding.Severity {
    /// All of one width.
    fileprivate var mark: String {
        switch self {
        case .ok: "ok     "
        case .note: "note   "
        case .warning: "warning"
        case .problem: "PROBLEM"
        }
    }
}
