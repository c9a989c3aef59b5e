import AudioCore
import WireProtocol

/// A command to a broadcast, as programs and the page write it: an object with one member, like `{"pause":{}}`. The
/// schema lists them all.
public struct ProgrammeCommand: Hashable, Sendable {
    /// What it asks for, in this order: one operation, or several where the command names more than one of them holds.
    public let operations: [CommandOperation]
    /// The instance of the listener whose sound it changes; nil for a command that concerns no listener, or all.
    public let listener: UInt64?

    /// The right that it takes.
    public var right: ProgrammeRight { operations.contains { $0.right == .command } ? .command : .add }

    /// - Parameter listeners: those that the programme's state lists, of which a command may name one.
    public init(_ json: JSONValue, listeners: [ProgrammeListener]) throws(ProgrammeCommandError) {
        let (name, value) = try Self.member(json)
        switch name {
        case .volume, .offset, .role:
            let (operation, listener) = try Self.sound(name, value, beside: json.member("listener"), listeners)
            operations = [operation]
            self.listener = listener
        default:
            operations = try Self.programme(name, value).map { .programme($0) }
            listener = nil
        }
    }

    enum Name: String, CaseIterable {
        case play, pause, toggle, stop, next, previous, seek, skip, jump, add, remove, move, clear
        case `repeat`, shuffle, volume, offset, role
    }

    /// Returns the command's name, and what stands behind it.
    private static func member(_ json: JSONValue) throws(ProgrammeCommandError) -> (Name, JSONValue) {
        let form = "a command is an object with one member, like {\"pause\":{}}"
        guard let members = json.members else { throw ProgrammeCommandError("\(form), not \(json.kindName)") }
        // The volume's listener may stand beside it.
        let others = members.filter { $0.key != "listener" }
        guard let member = others.first else { throw ProgrammeCommandError("\(form); this one names no command") }
        for member in others where Name(rawValue: member.key) == nil {
            let all = Name.allCases.map(\.rawValue)
            let advice = member.key.nearest(among: all).map { "did you mean '\($0)'?" }
            throw ProgrammeCommandError(
                "\(member.key.quotedForError) is no command: \(advice ?? "there are \(all.joined(separator: ", "))")")
        }
        guard others.count == 1, let name = Name(rawValue: member.key) else {
            throw ProgrammeCommandError("\(form): send '\(others[0].key)' and '\(others[1].key)' one after the other")
        }
        guard name == .volume || others.count == members.count else {
            throw ProgrammeCommandError("'listener' stands inside of '\(name.rawValue)', not beside it")
        }
        return (name, member.value)
    }
}
