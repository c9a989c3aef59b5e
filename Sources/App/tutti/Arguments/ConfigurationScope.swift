/// Where the configuration can give an option.
enum ConfigurationScope: Hashable, Sendable {
    /// Above all tables, for every command that has it, and in the table of one command.
    case everywhere
    /// In its command's table alone: other commands mean something else by this name.
    case ownTable
    /// On the command line alone.
    case nowhere
}

extension CommandSyntax.Option {
    func scoped(_ scope: ConfigurationScope) -> CommandSyntax.Option {
        var option = self
        option.scope = scope
        return option
    }
}
