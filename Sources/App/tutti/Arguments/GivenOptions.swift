/// All that a command was told, to find out whether another command line or configuration tells it the same.
struct GivenOptions: Hashable, Sendable {
    private let operands: [String]
    private let values: [String: [String]]

    init(_ arguments: CommandArguments, _ syntax: CommandSyntax) {
        operands = arguments.operands
        let given = syntax.options.filter { arguments.has($0) }
        values = Dictionary(given.map { ($0.name, arguments.values(of: $0)) }) { first, _ in first }
    }
}
