extension Tutti {
    /// The text of tutti(1).
    static var manualPage: String {
        var page = ManualText(name: "tutti", section: 1, heading: "Tutti Manual")
        page.section("NAME")
        page.words("tutti - plays music on many machines, in step to the sample")
        page.section("SYNOPSIS")
        let option = ManualText.italic("OPTION")
        page.line("\(ManualText.bold("tutti")) \(ManualText.italic("COMMAND")) [\(option)]...")
        page.section("DESCRIPTION")
        page.words(purpose)
        for sentence in ports { page.words(sentence) }
        page.paragraph("Without a command, on a terminal, it is the player: tutti player.")
        page.section("COMMANDS")
        for command in commands {
            let syntax = command.syntax
            page.entry("\(ManualText.bold("tutti-\(syntax.name)"))(1)", syntax.summary)
        }
        page.section("OPTIONS")
        page.entry(ManualText.bold("--version"), "Show the version.")
        page.entry(
            ManualText.bold("--help"), "Show the commands; behind a command, and as tutti help COMMAND, its options.")
        page.section("FILES")
        for (path, content) in places { page.entry(ManualText.italic(path), content) }
        page.section("EXAMPLES")
        for example in examples { page.entry(ManualText.bold(example.command), example.meaning) }
        page.section("SEE ALSO")
        let pages = commands.map { "\(ManualText.bold("tutti-\($0.syntax.name)"))(1)" }
        page.line((["\(ManualText.bold(ConfigurationPage.name))(5)"] + pages).joined(separator: ", "))
        return page.text
    }

    /// Directories by the XDG Base Directory Specification.
    private static let places = [
        ("/etc/tutti/tutti.toml, ~/.config/tutti/tutti.toml", "Options that always hold: tutti.toml(5)."),
        (
            "~/.local/state/tutti",
            "This machine's key, its household, the names of peers, what is remembered for each sound device. Where "
                + "XDG_STATE_HOME is set, $XDG_STATE_HOME/tutti."
        ),
        ("~/.local/share/tutti/playlists", "Saved playlists. Where XDG_DATA_HOME is set, below that."),
        ("~/.cache/tutti", "The index of the music folders. Where XDG_CACHE_HOME is set, below that."),
        ("/run/tutti", "Sockets for the users of the group that --local-group names."),
    ]
}
