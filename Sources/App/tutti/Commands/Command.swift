/// One subcommand: it reads its arguments, then runs and says with which code the process ends.
protocol Command: Sendable, SendableMetatype {
    static var syntax: CommandSyntax { get }
    init(_ arguments: CommandArguments) throws(UsageError)
    func run() -> Int32
}
