import AudioCore

/// How much is shown, and in which form.
struct DisplayFlags: Hashable, Sendable {
    enum Level: Hashable, Sendable {
        /// Errors and warnings only.
        case quiet
        case normal
        /// Also notices of detail.
        case verbose
    }

    var level = Level.normal
    var isJSON = false

    /// How often a status is needed: plain text shows it every few seconds, or never.
    var statusInterval: TimeSpan {
        let isLive = isJSON || level != .quiet && StandardStream.output.isTerminal
        return isLive ? .milliseconds(200) : .seconds(1)
    }
}

extension DisplayFlags {
    static let quiet = CommandSyntax.Option.flag("--quiet", short: "q", "Show only warnings and errors.")
    static let verbose = CommandSyntax.Option.flag("--verbose", short: "v", "Show details too.")
    static let json = CommandSyntax.Option.flag("--json", "Write one JSON object a line.")
    static let options = [quiet, verbose, json]

    init(_ arguments: CommandArguments) throws(UsageError) {
        guard !(arguments.has(Self.quiet) && arguments.has(Self.verbose)) else {
            throw UsageError(exclusive: [Self.quiet, Self.verbose])
        }
        if arguments.has(Self.quiet) { level = .quiet }
        if arguments.has(Self.verbose) { level = .verbose }
        isJSON = arguments.has(Self.json)
    }
}
