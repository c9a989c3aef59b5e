import TuttiRuntime

/// A command of one word.
protocol PlainControlCommand: ControlCommand {
    static var operation: ProgrammeOperation { get }
    init(target: ControlTarget)
}

extension PlainControlCommand {
    static func plainSyntax(_ name: String, _ summary: String, _ meaning: String, notes: [String] = []) -> CommandSyntax
    {
        CommandSyntax(
            name: name, summary: summary, operands: [], options: ControlFlags.options,
            notes: notes + [ControlFlags.exitCodes],
            examples: [
                .init(command: "tutti \(name)", meaning: meaning),
                .init(command: "tutti \(name) --at Den", meaning: "the same, of the broadcast named Den"),
            ])
    }

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.init(target: try ControlFlags.target(arguments))
    }

    func requests() -> [ControlRequest] { [.command(TuttiRuntime.Command(.programme(Self.operation)))] }
}

/// `tutti pause`
struct PauseCommand: PlainControlCommand {
    static let syntax = plainSyntax(
        "pause", "Pauses the broadcast: every listener falls silent at the same sample.",
        "pauses what this machine broadcasts or hears",
        notes: ["A live station or capture is not kept: resume joins it where it is by then."])
    static let operation = ProgrammeOperation.pause
    let target: ControlTarget
}

/// `tutti resume`
struct ResumeCommand: PlainControlCommand {
    static let syntax = plainSyntax(
        "resume", "Goes on after a pause, or begins to play after a stop.",
        "goes on with the next sample")
    static let operation = ProgrammeOperation.play
    let target: ControlTarget
}

/// `tutti toggle`
struct ToggleCommand: PlainControlCommand {
    static let syntax = plainSyntax("toggle", "Pauses what plays; else goes on or begins.", "for a key of the keyboard")
    static let operation = ProgrammeOperation.toggle
    let target: ControlTarget
}

/// `tutti next`
struct NextCommand: PlainControlCommand {
    static let syntax = plainSyntax("next", "Goes to the next song.", "the next song, on all listeners")
    static let operation = ProgrammeOperation.next
    let target: ControlTarget
}

/// `tutti previous`
struct PreviousCommand: PlainControlCommand {
    static let syntax = plainSyntax(
        "previous", "Goes to the previous song; after 3 s of a song to its beginning.",
        "the song before, or this one again")
    static let operation = ProgrammeOperation.previous
    let target: ControlTarget
}

/// `tutti stop`
struct StopCommand: PlainControlCommand {
    static let syntax = plainSyntax(
        "stop", "Stops playing; queue, place and listeners stay.",
        "silence, until `tutti resume`")
    static let operation = ProgrammeOperation.stop
    let target: ControlTarget
}
