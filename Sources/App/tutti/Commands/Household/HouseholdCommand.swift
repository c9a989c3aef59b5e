import Households
import SecureChannel
import TerminalIO
import TuttiRuntime

/// `tutti household [create [NAME] | remove NAME | leave | invite]`
struct HouseholdCommand: Command {
    static let duration = CommandSyntax.Option.value(
        "--for", "HOURS", "With invite: how long the invitation holds. Default: 24.")

    static let syntax = CommandSyntax(
        name: "household",
        summary: "Lists the machines that trust each other, and changes who belongs to them.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list the household's members. create [NAME]: found one, named Home by default; from then on "
                    + "this machine takes part with its members only. remove NAME: remove a machine, by its name or the "
                    + "first digits of its key. leave: take this machine out. invite: write an invitation for one "
                    + "machine to standard output.",
                candidates: .verbs([
                    .init("create"), .init("remove", .names(.peers)), .init("leave"), .init("invite"),
                ]))
        ],
        options: [duration, DisplayFlags.json, .help],
        notes: [
            "A machine with screen and keyboard comes in by 'tutti pair'. One without is given an invitation, and is "
                + "started with --household FILE once: any member that it meets lets it in. Whoever has the file can come "
                + "in instead: keep it as secret as a password. It ends by itself.",
            "Each change is told to the members that are found within two seconds. The others hear of it as soon as they "
                + "meet a member that knows.",
            "A removed machine does not come back with its key. 'tutti household leave' there makes a new one.",
            "A machine whose key was lost or replaced is no member any more, though nobody removed it: remove its former "
                + "key on a member, then write 'tutti household leave' and 'tutti pair' there.",
            "With --json, standing is member, removed, unknown or open, and keys are whole; unknown is a key that the "
                + "household never let in.",
            "Exit code: 0, also when members were not found; 64 for a wrong command line, or a name that several have; 68 "
                + "for a name that none has, 69 without a household, 73 for one too many or where the state directory "
                + "cannot be written, 77 for a file that others may read, a household that cannot be read, or a change "
                + "that reached no member, as this machine was removed itself.",
        ],
        examples: [
            .init(command: "tutti household create", meaning: "this machine is the first member of Home"),
            .init(command: "tutti household remove Attic", meaning: "the others share a new secret"),
            .init(command: "tutti household invite --for 2 > invitation", meaning: "for one machine, within two hours"),
            .init(command: "tutti household", meaning: "a table of members, with the first digits of their keys"),
        ])

    enum Request: Hashable {
        case list
        case create(name: String)
        case remove(String)
        case leave
        case invite
    }

    static let defaultName = "Home"
    private static let hours: ClosedRange<Int64> = 1...HouseholdLimits.invitationSeconds / 3_600

    let request: Request
    let hours: Int64
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        request = try Self.request(arguments.operands)
        hours = try arguments.integer(Self.duration, in: Self.hours, unit: "hours") ?? 24
        isJSON = arguments.has(DisplayFlags.json)
        guard request == .invite || !arguments.has(Self.duration) else {
            throw UsageError("\(Self.duration.name) goes with invite", unfitting: [Self.duration])
        }
    }

    static func request(_ words: [String]) throws(UsageError) -> Request {
        switch (words.first, words.count) {
        case (nil, _): return .list
        case ("create", 1): return .create(name: defaultName)
        case ("create", 2):
            guard (1...HouseholdLimits.nameByteCount).contains(words[1].utf8.count), words[1] == words[1].terminalSafe
            else {
                throw UsageError("a household's name has 1 to \(HouseholdLimits.nameByteCount) bytes, all printable")
            }
            return .create(name: words[1])
        case ("remove", 2): return .remove(words[1])
        case ("leave", 1): return .leave
        case ("invite", 1): return .invite
        default:
            let verbs = "create [NAME], remove NAME, leave or invite"
            throw UsageError("write: tutti household, alone or with \(verbs)")
        }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            guard let directory = StateDirectory.standard() else {
                throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for a household"))
            }
            let changes = HouseholdChanges(directory: directory)
            switch request {
            case .list: try list()
            case .create(let name): try changes.create(name: name)
            case .remove(let name): try changes.remove(name)
            case .leave: try changes.leave()
            case .invite: try changes.invite(hours: hours)
            }
        }
    }

    private func list() throws(RuntimeFailure) {
        let identity = try SessionRunner.identity()
        let household = identity.household?.household
        if isJSON { return ListOutput.write([Self.json(household, identity.keys.key)]) }
        StandardStream.output.write(Self.heading(household, identity.keys.key).terminalSafe + "\n")
        if let household { ListOutput.write(Self.table(household, identity.keys.key)) }
    }
}
