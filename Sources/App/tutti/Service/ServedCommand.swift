import TuttiRuntime

/// A command that can run as a service.
protocol ServedCommand: Command {
    var display: DisplayFlags { get }
    /// All that it was told.
    var arguments: CommandArguments { get }
    /// What is done before each session, and how.
    var runner: SessionRunner { get }

    /// The same command by the configuration as it is now.
    func reloaded() throws(UsageError) -> Self
    /// Makes a session.
    func session(_ identity: SessionRunner.IdentityLoader) throws(RuntimeFailure) -> SessionRunner.Session
}
