import AudioCore
import TerminalIO
import TuttiRuntime

/// `tutti seek TIME`
struct SeekCommand: ControlCommand {
    static let syntax = CommandSyntax(
        name: "seek",
        summary: "Goes to another place of the song.",
        operands: [
            .init(
                name: "TIME", isRequired: true,
                help: "From the song's beginning: 90 (seconds), 1:30 or 1:02:03; after + or -, from where it is now.")
        ],
        options: ControlFlags.options,
        notes: ["A place past the song's end goes to the next song, and says so.", ControlFlags.exitCodes],
        examples: [
            .init(command: "tutti seek 1:30", meaning: "to one minute and a half"),
            .init(command: "tutti seek -10", meaning: "10 seconds back"),
        ])

    let target: ControlTarget
    let operation: ProgrammeOperation

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        operation = try Self.operation(arguments.operand ?? "")
    }

    static func operation(_ text: String) throws(UsageError) -> ProgrammeOperation {
        let sign = text.first.flatMap { "+-".contains($0) ? $0 : nil }
        guard let span = TimeSpan(clockReading: sign == nil ? text[...] : text.dropFirst()) else {
            throw UsageError("TIME is written 90, 1:30 or 1:02:03, or with + or - before it, not '\(text)'")
        }
        switch sign {
        case "+": return .skip(by: span)
        case "-": return .skip(by: .zero - span)
        default: return .seek(to: span)
        }
    }

    func requests() -> [ControlRequest] { [.command(TuttiRuntime.Command(.programme(operation)))] }
}

extension TimeSpan {
    /// Parses `90`, `1:30`, `1:02:03`, each with a fraction of a second if need be; at most 1,000 hours.
    fileprivate init?(clockReading text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let digits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } }
        let numbers = parts.compactMap { Double($0) }
        guard digits, (1...3).contains(parts.count), numbers.count == parts.count,
            numbers.dropFirst().allSatisfy({ $0 < 60 }),
            numbers.dropLast().allSatisfy({ $0 == $0.rounded() })
        else { return nil }
        let seconds = numbers.reduce(0) { $0 * 60 + $1 }
        guard seconds <= 3_600_000 else { return nil }
        self = TimeSpan(seconds: seconds)
    }
}
