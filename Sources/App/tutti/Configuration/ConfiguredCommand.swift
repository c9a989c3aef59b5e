/// A command as its command line and the configuration give it.
struct ConfiguredCommand<Content: Command> {
    let command: Content
    /// Two are equal if the command means the same by them.
    let arguments: CommandArguments
    /// What of the configuration is not used, and why.
    let mistakes: [ConfigurationMistake]
    /// What is used.
    let settings: ConfigurationSettings

    /// Reads the words of a command line, and from the configuration what they do not give. Called again with layers
    /// that were loaded again, it returns what the same words mean now.
    /// - Throws: if the command line is wrong; never for a mistake of the configuration, which is not used then.
    init(_ words: some Sequence<String>, _ layers: ConfigurationLayers) throws(UsageError) {
        let words = Array(words)
        var settings = layers.settings(for: Content.syntax)
        while true {
            let arguments = try CommandArguments(words, syntax: Content.syntax, configured: settings.words)
            do throws(UsageError) {
                command = try Content(arguments)
                self.arguments = arguments
                mistakes = settings.mistakes
                self.settings = settings
                return
            } catch {
                // Each round takes something out.
                guard settings.drop(for: error, given: arguments.given) else { throw error }
            }
        }
    }
}
