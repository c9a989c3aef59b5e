/// A subcommand: parses its arguments, then runs and returns the process's exit code.
protocol Command: Sendable, SendableMetatype {
    static var syntax: CommandSyntax { get }
    init(_ arguments: CommandArguments) throws(UsageError)
    func run() -> Int32
}
