import AudioCore
import Observing
import TerminalIO
import TuttiRuntime

/// `tutti check [HOST[:PORT]]`
struct CheckCommand: Command {
    static let duration = CommandSyntax.Option.value(
        "--for", "TIME", "How long to look on, from the first listener that plays: 30s, 5min. Default: 30s.")
    static let within = CommandSyntax.Option.value(
        "--within", "TIME", "How far apart two listeners may be: 100us, 0.5ms. Default: 100us.")
    static let browsersWithin = CommandSyntax.Option.value(
        "--browsers-within", "TIME", "How far a browser may be from any other listener. Default: 10ms.")
    static let from = CommandSyntax.Option.value(
        "--from", "NAME,...", repeats: true, candidates: .nameList(.peers), "Look only at broadcasts of these names.")

    static let syntax = CommandSyntax(
        name: "check",
        summary: "Looks on at a running broadcast, and says whether its listeners keep in step.",
        operands: [.broadcaster],
        options: [duration, within, browsersWithin, from, DisplayFlags.json, .help],
        notes: [
            "Two listeners are in step when the difference of their errors and both error bounds together are within "
                + "the limit, as they estimate it themselves once a second. One that is alone is compared with the "
                + "timeline. One that falls silent, or vanishes without taking leave, is out of step.",
            "A browser knows of its sound card only what the browser says, so pairs with one are judged by "
                + "--browsers-within.",
            "Exit code: 0 when all kept in step, 1 when not, 64 for a wrong command line, 68 when there is no "
                + "broadcast, 69 when nobody plays it or it cannot be checked, 74 when the broadcaster is lost, 77 when "
                + "others may use this machine's key.",
        ],
        examples: [
            .init(command: "tutti check", meaning: "30 s, within 100 us"),
            .init(command: "tutti check --for 5min --within 50us --from Attic", meaning: "longer and stricter"),
            .init(command: "tutti check 192.168.1.10 && echo in step", meaning: "for scripts, without mDNS"),
        ])

    private(set) var options = CheckOptions()
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        options.address = try arguments.broadcasterAddress()
        options.from = try arguments.peerNames(Self.from)
        guard options.address == nil || options.from.isEmpty else {
            throw UsageError(
                "HOST and --from exclude each other",
                exclusive: [CommandSyntax.Operand.broadcaster.name, Self.from.name])
        }
        if let span = try arguments.span(Self.duration, in: .seconds(1)...(.seconds(86_400)), example: "30s") {
            options.duration = span
        }
        if let span = try arguments.span(Self.within, in: .microseconds(1)...(.seconds(10)), example: "100us") {
            options.limit = span
        }
        let browserRange = TimeSpan.microseconds(1)...(.seconds(10))
        if let span = try arguments.span(Self.browsersWithin, in: browserRange, example: "10ms") {
            options.browserLimit = span
        }
        isJSON = arguments.has(DisplayFlags.json)
    }

    func run() -> Int32 {
        do throws(RuntimeFailure) {
            let result = try Checker(options: options, identity: SessionRunner.identity()).run { event in
                guard case .notice(let notice) = event, notice.level != .detail else { return }
                StandardStream.error.write("tutti: \(notice.sentence)".terminalSafe + "\n")
            }
            StandardStream.output.write((isJSON ? result.json.text : result.verdict.terminalSafe) + "\n")
            return result.isInStep ? 0 : 1
        } catch {
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }
}
