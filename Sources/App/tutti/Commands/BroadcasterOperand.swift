import TuttiRuntime

// The operand of the commands that turn to one broadcaster, as they may.

extension CommandSyntax.Operand {
    static let broadcaster = CommandSyntax.Operand(
        name: "HOST[:PORT]", isRequired: false,
        help: "The broadcaster's address; needed only where mDNS does not reach it.")
}

extension CommandArguments {
    /// The address that ``CommandSyntax/Operand/broadcaster`` gave; nil where it was left out.
    func broadcasterAddress() throws(UsageError) -> NetworkAddress? {
        guard let operand else { return nil }
        return try Self.address(operand, for: CommandSyntax.Operand.broadcaster.name)
    }
}
