import TuttiRuntime

// The operand, optional, of the commands that address one broadcaster.

extension CommandSyntax.Operand {
    static let broadcaster = CommandSyntax.Operand(
        name: "HOST[:PORT]", isRequired: false, key: "broadcaster",
        help: "The broadcaster's address; needed only where mDNS does not reach it.")
}

extension CommandArguments {
    /// Returns the address that ``CommandSyntax/Operand/broadcaster`` gave; nil if it was left out.
    func broadcasterAddress() throws(UsageError) -> NetworkAddress? {
        guard let operand else { return nil }
        return try Self.address(operand, for: CommandSyntax.Operand.broadcaster.name)
    }
}
