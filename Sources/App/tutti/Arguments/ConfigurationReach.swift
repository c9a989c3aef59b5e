/// Where the configuration can give an option.
enum ConfigurationReach: Hashable, Sendable {
    /// Above all tables, for every command that has it, and in the table of one command.
    case everywhere
    /// In its command's table alone: other commands mean something else by this name.
    case ownTable
    /// On the command line alone.
    case nowhere
}

extension CommandSyntax.Option {
    func reaching(_ reach: ConfigurationReach) -> CommandSyntax.Option {
        var option = self
        option.reach = reach
        return option
    }
}
