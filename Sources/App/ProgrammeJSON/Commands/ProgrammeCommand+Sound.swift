import AudioCore
import WireProtocol

extension ProgrammeCommand {
    /// Returns an operation on how listeners sound, and the listener's instance.
    /// - Parameter beside: a listener that is named beside the command's object.
    static func sound(
        _ name: Name, _ value: JSONValue, beside: JSONValue?, _ listeners: [ProgrammeListener]
    ) throws(ProgrammeCommandError) -> (CommandOperation, UInt64?) {
        let own: [String] =
            switch name {
            case .offset: ["microseconds"]
            case .role: ["role"]
            default: ["level", "step", "muted"]
            }
        let members = try ObjectReader(value, of: name.rawValue, own + ["listener"])
        let operation: ListenerOperation =
            switch name {
            case .offset: .offset(try offset(members))
            case .role: .role(try role(members))
            default: .volume(try volume(members, own))
            }
        guard let listener = try listener(members, beside: beside, listeners) else {
            guard name == .volume else {
                throw ProgrammeCommandError("'\(name.rawValue)' lacks 'listener': \(listenerForm)")
            }
            return (.listeners(operation, of: .all), nil)
        }
        return (.listeners(operation, of: .named(listener.name)), listener.instance)
    }

    private static let listenerForm = "the instance of one of the state's 'listeners'"

    private static func volume(
        _ members: ObjectReader, _ kinds: [String]
    ) throws(ProgrammeCommandError) -> VolumeChange {
        let given = kinds.filter { members.value($0) != nil }
        guard given.count == 1 else {
            throw ProgrammeCommandError("'volume' has one of 'level', 'step' and 'muted', not \(given.count)")
        }
        switch given[0] {
        case "level": return .level(Int(try members.integer("level", in: 0...100)))
        case "step": return .step(Int(try members.integer("step", in: -100...100)))
        default:
            let value = members.value("muted") ?? .null
            guard let isMuted = value.bool else { throw members.wrong("muted", "true or false", value) }
            return isMuted ? .mute : .unmute
        }
    }

    private static func offset(_ members: ObjectReader) throws(ProgrammeCommandError) -> TimeSpan {
        let range = LoudspeakerSettings.offsetRange
        return .microseconds(
            try members.integer(
                "microseconds", in: range.lowerBound.nanoseconds / 1_000...range.upperBound.nanoseconds / 1_000))
    }

    private static func role(_ members: ObjectReader) throws(ProgrammeCommandError) -> ChannelRole {
        let form =
            "'stereo', 'left', 'right', 'mono', or a channel's number from '1' to '\(Limits.channelRange.upperBound)'"
        let text = try members.text("role", form)
        guard let role = ChannelRole(text) else { throw members.wrong("role", form, .string(text)) }
        return role
    }

    /// Returns the listener that is named; nil if none is.
    ///
    /// The wire names listeners by their names, so one whose name another has cannot be meant alone.
    private static func listener(
        _ members: ObjectReader, beside: JSONValue?, _ listeners: [ProgrammeListener]
    ) throws(ProgrammeCommandError) -> ProgrammeListener? {
        let inside = members.value("listener")
        let outside = beside == .null ? nil : beside
        guard let value = inside ?? outside else { return nil }
        guard inside == nil || outside == nil else {
            throw ProgrammeCommandError("'listener' stands inside of 'volume' and beside it; leave one out")
        }
        guard let text = value.string else { throw members.wrong("listener", listenerForm, value) }
        let instance = text.allSatisfy(\.isHexDigit) ? UInt64(text, radix: 16) : nil
        guard let listener = listeners.first(where: { $0.instance == instance }) else {
            throw ProgrammeCommandError(
                "no listener has the instance \(text.quotedForError): the state's 'listeners' are those that are there")
        }
        let namesakes = listeners.filter { $0.name == listener.name && $0.settings != nil }
        guard namesakes.count <= 1 else {
            throw ProgrammeCommandError(
                "\(namesakes.count) listeners are called \(listener.name.quotedForError): give each a name of its own")
        }
        return listener
    }
}
