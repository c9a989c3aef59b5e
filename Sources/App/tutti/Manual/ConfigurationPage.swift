/// tutti.toml(5): the configuration's file.
enum ConfigurationPage {
    static let name = "tutti.toml"

    /// - Parameter commands: their options are the keys.
    static func text(_ commands: [CommandSyntax]) -> String {
        var page = ManualText(name: name, section: 5, heading: "Tutti Manual")
        page.section("NAME")
        page.words("tutti.toml - options of tutti that always hold")
        page.section("DESCRIPTION")
        page.words(
            "What a command line would say each time can stand in files instead, in TOML. A key is an option's name without "
                + "its dashes. At the top of a file it holds for every command that has this option; in a table, for "
                + "the command of that name. Arguments are keys, too, by their names in small letters. What may be "
                + "repeated is an array; a switch is true or false.")
        page.paragraph(
            "A key that no command has, or a value that the option does not take, is told of in a line with file, line and "
                + "key, and the rest is used. tutti config shows what is in force and where it stands; tutti config "
                + "--check looks for mistakes.")
        page.section("FILES")
        page.words("They are read in this order; what comes later is stronger.")
        for (path, content) in places { page.entry(ManualText.italic(path), content) }
        page.paragraph(
            "Stronger still are variables of the environment, and then the command line. --no-configuration ignores files and "
                + "environment; --no-mdns=false unsets a switch that they set.")
        page.section("ENVIRONMENT")
        page.entry(
            ManualText.italic("TUTTI_OPTION"),
            "For every command that has the option: TUTTI_DEVICE is --device, TUTTI_NO_MDNS=1 is --no-mdns. Values of an "
                + "option that may be repeated stand on lines of their own.")
        page.entry(ManualText.italic("TUTTI_COMMAND_OPTION"), "For one command, and stronger: TUTTI_JOIN_DEVICE.")
        page.section("KEYS")
        for command in commands {
            let options = command.options.filter { $0.scope != .nowhere }
            guard !options.isEmpty else { continue }
            page.subsection("[\(ManualText.escaped(command.name))]")
            for option in options { page.entry(option.key, option.help) }
        }
        page.section("EXAMPLE")
        page.example(example)
        page.section("SEE ALSO")
        page.line("\(ManualText.bold("tutti"))(1), https://toml.io")
        return page.text
    }

    private static let places = [
        ("/etc/tutti/tutti.toml", "For all users, and for the service."),
        ("/etc/tutti/tutti.toml.d/*.toml", "The same, in the order of their names."),
        (
            "~/.config/tutti/tutti.toml",
            "For one user. Where XDG_CONFIG_HOME is set, $XDG_CONFIG_HOME/tutti/tutti.toml."
        ),
        ("~/.config/tutti/tutti.toml.d/*.toml", "The same, in the order of their names."),
    ]

    private static let example = [
        "name = \"Kitchen\"", "", "[join]", "device = \"hw:1\"", "max-volume = 60",
        "quiet-hours = [\"22:00-07:00=20\"]", "no-mdns = true", "broadcaster = \"192.168.1.10\"",
    ]
}

extension CommandSyntax.Option {
    /// `device = NAME`
    fileprivate var key: String {
        let key = ManualText.bold(String(name.drop { $0 == "-" }))
        guard let value else { return "\(key) = true|false" }
        return "\(key) = \(repeats ? "[" : "")\(ManualText.italic(value))\(repeats ? ", ..." : "")\(repeats ? "]" : "")"
    }
}
