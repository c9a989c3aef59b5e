import AudioCore
import CRevision
import Glibc
import HostSystem
import TerminalIO
import TuttiRuntime

/// The command line: picks a subcommand, and turns every error into one line and an exit code.
@main
struct Tutti {
    /// The one place in the sources that says it. The changelog begins with it, which a test shows.
    static let version = "0.2.0"
    static let commands: [any Command.Type] = [
        PlayerScreenCommand.self, BroadcastCommand.self, JoinCommand.self, PlayCommand.self, RecordCommand.self,
        CheckCommand.self, DoctorCommand.self,
        PauseCommand.self, ResumeCommand.self, ToggleCommand.self, SeekCommand.self, NextCommand.self,
        PreviousCommand.self, StopCommand.self, QueueCommand.self, VolumeCommand.self, OffsetCommand.self,
        RoleCommand.self, StatusCommand.self, SearchCommand.self, LibraryCommand.self, PlaylistCommand.self,
        PeersCommand.self, PairCommand.self, HouseholdCommand.self, GuestsCommand.self, DevicesCommand.self,
        InspectCommand.self,
        DecodeCommand.self, ConfigCommand.self,
    ]

    static func main() {
        SharedHeap.share()
        // If this program started itself to decode one song, nothing else of it runs.
        DecodeWorkers.offerThisProgram()
        // A closed pipe is an error of write(2), not the end of the music.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the user's size limit.
        signal(SIGXFSZ, SIG_IGN)
        exit(run(CommandLine.arguments.dropFirst()))
    }

    /// Has all commands run as if there were no configuration; stands anywhere before `--`.
    static let ignoringOption = "--no-configuration"

    /// Runs the command line and returns its exit code.
    static func run(_ words: ArraySlice<String>) -> Int32 {
        let options = words.prefix { $0 != "--" }
        let others = options.filter { $0 != ignoringOption }
        // Also when the configuration is read again, and for programs that this one starts.
        if others.count < options.count { setenv(ConfigurationEnvironment.ignoringVariable, "1", 1) }
        return runWords((others + words.dropFirst(options.count))[...])
    }

    private static func runWords(_ words: ArraySlice<String>) -> Int32 {
        guard let first = words.first else {
            if StandardStream.output.isTerminal { return runCommand(PlayerScreenCommand.syntax.name, []) }
            StandardStream.error.write(help)
            return UsageError.exitCode
        }
        switch first {
        case "--version":
            StandardStream.output.write(versionLine(revision: String(cString: crevision())))
            return 0
        case "help", "--help", "-h":
            return Manual.answer(words.dropFirst()) ?? showHelp(of: words.dropFirst().first)
        default:
            return runCommand(first, words.dropFirst())
        }
    }

    /// - Parameter revision: empty where it is not known.
    static func versionLine(revision: String) -> String {
        "tutti \(version)" + (revision.isEmpty ? "" : " (\(revision))") + "\n"
    }

    private static func runCommand(_ name: String, _ words: ArraySlice<String>) -> Int32 {
        guard let command = commands.first(where: { $0.syntax.name == name }) else { return unknown(name) }
        let beforeOperands = words.prefix { $0 != "--" }
        if beforeOperands.contains("--help") || beforeOperands.contains("-h") { return showHelp(of: name) }
        do throws(UsageError) {
            return try run(command, words)
        } catch {
            StandardStream.error.write(
                "tutti \(name): \(error.message) (see 'tutti \(name) --help')\n".terminalSafeLine)
            return UsageError.exitCode
        }
    }

    /// Warns of mistakes in the configuration, as far as they concern the command.
    private static func run<Content: Command>(
        _ command: Content.Type, _ words: ArraySlice<String>
    ) throws(UsageError) -> Int32 {
        let configured = try ConfiguredCommand<Content>(words, .load())
        // This one tells of all mistakes by itself.
        if command != ConfigCommand.self {
            for mistake in configured.mistakes { SessionRunner.warn("\(mistake)") }
        }
        return configured.command.run()
    }

    private static func showHelp(of name: String?) -> Int32 {
        guard let name else {
            StandardStream.output.write(help)
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else { return unknown(name) }
        StandardStream.output.write(command.syntax.help())
        return 0
    }

    private static func unknown(_ name: String) -> Int32 {
        StandardStream.error.write(
            "tutti: \(advice(on: name).withoutCredentials) (see 'tutti --help')\n".terminalSafeLine)
        return UsageError.exitCode
    }

    private static func advice(on name: String) -> String {
        if let near = name.nearest(among: commands.map { $0.syntax.name }) {
            return "unknown command '\(name)'; did you mean 'tutti \(near)'?"
        }
        if name.hasPrefix("-") { return "unknown option '\(name)'" }
        if access(name, R_OK) == 0 { return "to play '\(name)', write: tutti broadcast '\(name)'" }
        return "unknown command '\(name)'"
    }
}
