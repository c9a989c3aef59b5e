import AudioCore
import Controlling
import Glibc
import Peering
import TerminalIO
import TuttiRuntime

/// A command to a running broadcast: `tutti pause` and its like.
protocol ControlCommand: Command {
    var target: ControlTarget { get }
    /// What to ask for, in order.
    func requests() throws(RuntimeFailure) -> [ControlRequest]
}

extension ControlCommand {
    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            try ControlRun(target: target, requests: requests()).run { answer in
                // What there is to say of a refused command comes with the failure.
                guard case .outcome(let outcome) = answer, case .done = outcome.verdict, !outcome.text.isEmpty else {
                    return
                }
                StandardStream.output.write(outcome.text.terminalSafe + "\n")
            }
        }
    }
}

/// One run of a controller, ended by signals.
struct ControlRun {
    let target: ControlTarget
    let requests: [ControlRequest]

    func run(_ handler: @escaping @Sendable (ControlAnswer) -> Void) throws(RuntimeFailure) {
        SignalWatcher.block()
        var options = ControlOptions(requests)
        options.target = target
        options.localSockets = LocalSocketDirectory.searched
        let controller = try Controller(options: options, identity: SessionRunner.identity())
        do {
            try SignalWatcher.start { signal in
                if signal != SIGWINCH { controller.stop() }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
        try controller.run(handler)
    }
}

/// Which broadcast a command is for.
enum ControlFlags {
    static let at = CommandSyntax.Option.value(
        "--at", "NAME|HOST[:PORT]", candidates: .names(.peers),
        "The broadcast that is meant, by its name or its address; a name that no broadcast has may be a host's. Default: "
            + "this machine's own, else the one that it listens to, else the only one on the network.")

    static let options = [at, CommandSyntax.Option.help]

    static let exitCodes =
        "Exit code: 0 when the command has taken effect; 64 for a wrong command line, or if several broadcasts could be "
        + "meant; 65 for a song that cannot be played, 66 for an item that is not there, 68 for a broadcast or listener "
        + "that is nowhere, 69 when nothing plays, what plays cannot seek, or a listener records, 73 for a full queue, "
        + "74 for a lost connection, 75 when it takes longer than 1 s, 77 for what the broadcaster does not allow, or when "
        + "others may use this machine's key."

    /// What has a dot or a colon, and no space, is an address.
    static func target(_ arguments: CommandArguments) throws(UsageError) -> ControlTarget {
        guard let text = arguments.value(of: at) else { return .any }
        if isAddress(text) { return .address(try CommandArguments.address(text, for: at.name)) }
        return .named(try arguments.peerName(at) ?? text)
    }

    static func isAddress(_ text: String) -> Bool {
        text == "localhost" || !text.contains(" ") && (text.contains(".") || text.contains(":"))
    }
}
