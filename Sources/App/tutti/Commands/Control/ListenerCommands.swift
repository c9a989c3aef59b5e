import AudioCore
import TuttiRuntime
import enum WireProtocol.WireLimits

/// `tutti volume [LISTENER] 40 | +5 | mute`
struct VolumeCommand: ControlCommand {
    static let syntax = CommandSyntax(
        name: "volume",
        summary: "Sets the volume of a listener, or of all, whose ratios stay.",
        operands: [
            .init(
                name: "LISTENER", isRequired: false,
                help: "The listener's name, as `tutti status` shows it. Without one: the volume of the group, which "
                    + "scales those of all listeners.",
                candidates: .names(.peers)),
            .init(
                name: "VOLUME", isRequired: false,
                help: "0 to 100, +N or -N, mute, unmute. The scale is perceptual: the gain is the volume's cube.",
                candidates: .choices(["mute", "unmute"])),
        ],
        options: ControlFlags.options,
        notes: ["A listener remembers its volume for its sound device.", ControlFlags.exitCodes],
        examples: [
            .init(command: "tutti volume 40", meaning: "the whole group, softly"),
            .init(command: "tutti volume Kitchen +5", meaning: "one listener a little louder"),
            .init(command: "tutti volume Kitchen mute", meaning: "one listener silent"),
        ])

    let target: ControlTarget
    let change: VolumeChange
    let listener: ListenerTarget

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        guard let text = arguments.operands.last else {
            throw UsageError("VOLUME is missing: tutti volume [LISTENER] 40")
        }
        change = try Self.change(text)
        listener = arguments.operands.count == 2 ? .named(try ListenerOperand.name(arguments)) : .all
    }

    static func change(_ text: String) throws(UsageError) -> VolumeChange {
        switch text {
        case "mute": return .mute
        case "unmute": return .unmute
        default: break
        }
        let range = -Volume.full.percent...Volume.full.percent
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("VOLUME is 0 to 100, +N, -N, mute or unmute, not '\(text)'")
        }
        return text.hasPrefix("+") || text.hasPrefix("-") ? .step(number) : .level(number)
    }

    func requests() -> [ControlRequest] {
        [.command(TuttiRuntime.Command(.listeners(.volume(change), of: listener)))]
    }
}

/// `tutti offset LISTENER MICROSECONDS`
struct OffsetCommand: ControlCommand {
    static let syntax = CommandSyntax(
        name: "offset",
        summary: "Shifts a listener's sound, for an amplifier or TV that is late.",
        operands: [
            .init(
                name: "LISTENER", isRequired: true, help: "The listener's name, as `tutti status` shows it.",
                candidates: .names(.peers)),
            .init(
                name: "MICROSECONDS", isRequired: true, help: "Negative sounds earlier; at most a second either way."),
        ],
        options: ControlFlags.options,
        notes: [
            "A listener remembers its offset for its sound device. Without a household it is set on the listener's own "
                + "machine only.", ControlFlags.exitCodes,
        ],
        examples: [
            .init(command: "tutti offset Kitchen -35000", meaning: "35 ms earlier"),
            .init(command: "tutti offset Kitchen 0", meaning: "no longer shifted"),
        ])

    let target: ControlTarget
    let listener: String
    let offset: TimeSpan

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        listener = try ListenerOperand.name(arguments)
        let range = LoudspeakerSettings.offsetRange
        guard let number = Int64(arguments.operands[1]), number.magnitude <= 1_000_000_000,
            range.contains(.microseconds(number))
        else {
            throw UsageError(
                "MICROSECONDS is a whole number from -1000000 to 1000000, not '\(arguments.operands[1])'")
        }
        offset = .microseconds(number)
    }

    func requests() -> [ControlRequest] {
        [.command(TuttiRuntime.Command(.listeners(.offset(offset), of: .named(listener))))]
    }
}

/// `tutti role LISTENER ROLE`
struct RoleCommand: ControlCommand {
    static let syntax = CommandSyntax(
        name: "role",
        summary: "Says which channels a listener plays.",
        operands: [
            .init(
                name: "LISTENER", isRequired: true, help: "The listener's name, as `tutti status` shows it.",
                candidates: .names(.peers)),
            .init(
                name: "ROLE", isRequired: true, help: "stereo, left, right, mono, or a channel's number from 1.",
                candidates: .choices(["stereo", "left", "right", "mono"])),
        ],
        options: ControlFlags.options,
        notes: [
            "A listener remembers its role for its sound device. Without a household it is set on the listener's own "
                + "machine only.", ControlFlags.exitCodes,
        ],
        examples: [
            .init(command: "tutti role Shelf left", meaning: "one of a pair of loudspeakers"),
            .init(command: "tutti role Shelf stereo", meaning: "both channels again"),
        ])

    let target: ControlTarget
    let listener: String
    let role: ChannelRole

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        listener = try ListenerOperand.name(arguments)
        guard let role = ChannelRole(arguments.operands[1]) else {
            throw UsageError(
                "ROLE is stereo, left, right, mono, or a channel's number from 1 to \(Limits.channelRange.upperBound), "
                    + "not '\(arguments.operands[1])'")
        }
        self.role = role
    }

    func requests() -> [ControlRequest] {
        [.command(TuttiRuntime.Command(.listeners(.role(role), of: .named(listener))))]
    }
}

private enum ListenerOperand {
    /// The listener's name, the first operand.
    static func name(_ arguments: CommandArguments) throws(UsageError) -> String {
        let name = arguments.operands[0]
        guard !name.isEmpty, name.utf8.count <= WireLimits.peerNameByteCount else {
            throw UsageError("a LISTENER's name has 1 to \(WireLimits.peerNameByteCount) bytes")
        }
        return name
    }
}
