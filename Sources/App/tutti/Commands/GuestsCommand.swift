import AudioCore
import Glibc
import TerminalIO
import TuttiRuntime
import WebRemote

/// `tutti guests [add [NAME] | remove NAME]`
struct GuestsCommand: Command {
    static let role = CommandSyntax.Option.value(
        "--role", "listen|add|command", candidates: .choices(["listen", "add", "command"]),
        "With add: what the guest may do. add: listen, and add songs; command: that, and command the broadcast. "
            + "Default: command.")
    static let duration = CommandSyntax.Option.value(
        "--for", "HOURS", "With add: how long the code is good. Default: 12; a year at most.")

    static let syntax = CommandSyntax(
        name: "guests",
        summary: "Lets guests in by a code, with their browsers, to listen and to command.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list the guests. add [NAME]: make a code, and show the page's address with it, also as a "
                    + "QR code. remove NAME: end a guest's code at once; by the name, or four or more digits of its id.",
                candidates: .verbs([.init("add"), .init("remove")]))
        ],
        options: [role, duration, DisplayFlags.json, .help],
        notes: [
            "A code is for the pages that this machine serves while it broadcasts. Without a household everybody on the "
                + "network may listen and command by the page, and needs no code; with one, there is no page until there "
                + "is a guest.",
            "The code stands behind the # of the address, which browsers do not send: it never travels. Whoever has the "
                + "address can come in until its time is over. Guests who may add songs can do so without "
                + "--accept-songs, too.",
            "The address shown is that of the page that is open on this machine; of several, each is shown. While none "
                + "is open it is where the page of a broadcast would be that is begun as the configuration says. A page "
                + "that is served by https is shown by the name in its certificate.",
            "Exit code: 0; 64 for a wrong command line, or a name that several have, 68 for a name that none has, 73 where "
                + "the state directory cannot be written, 77 for a file that others may read.",
        ],
        examples: [
            .init(command: "tutti guests add Anna", meaning: "shows what Anna's phone is to scan"),
            .init(command: "tutti guests add Party --role add --for 6", meaning: "may add songs tonight"),
            .init(command: "tutti guests remove Anna", meaning: "her page ends within two seconds"),
        ])

    enum Request: Hashable {
        case list
        case add(name: String)
        case remove(String)
    }

    private static let defaultName = "Guest"
    private static let hourRange: ClosedRange<Int64> = 1...8_760

    let request: Request
    let role: GuestRole
    let hours: Int64
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        request = try Self.request(arguments.operands)
        let given = arguments.value(of: Self.role)
        let role = given.map { GuestRole(rawValue: $0) } ?? .command
        guard let role else { throw UsageError(Self.role, "is listen, add or command") }
        self.role = role
        let hours = try arguments.integer(Self.duration, in: Self.hourRange, unit: "hours")
        self.hours = hours ?? 12
        isJSON = arguments.has(DisplayFlags.json)
        if case .add = request { return }
        guard given == nil, hours == nil else {
            throw UsageError("--role and --for go with add", unfitting: [Self.role, Self.duration])
        }
    }

    static func request(_ words: [String]) throws(UsageError) -> Request {
        switch (words.first, words.count) {
        case (nil, _): return .list
        case ("add", 1): return .add(name: defaultName)
        case ("add", 2):
            let name = GuestFile.name(words[1])
            guard !name.isEmpty, name == words[1] else {
                throw UsageError("a guest's name has 1 to 63 bytes, all printable")
            }
            return .add(name: name)
        case ("remove", 2): return .remove(words[1])
        default: throw UsageError("write: tutti guests, alone or with add [NAME] or remove NAME")
        }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            guard let file = GuestFile.standard() else {
                throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for guests"))
            }
            let now = Int64(time(nil))
            var hasRoom = true
            do throws(PrivateFileError) {
                switch request {
                case .list: list(try file.load().filter { $0.isValid(at: now) }, now)
                case .add(let name): hasRoom = try add(name, to: file, now)
                case .remove: break
                }
            } catch {
                throw RuntimeFailure(error)
            }
            guard hasRoom else {
                throw RuntimeFailure(
                    .cannotCreate,
                    .other("there are \(GuestFile.guestLimit) guests, as many as there may be: remove some first"))
            }
            if case .remove(let name) = request { try remove(name, from: file, now) }
        }
    }

    /// - Returns: false where there are as many as there may be.
    private func add(_ name: String, to file: GuestFile, _ now: Int64) throws(PrivateFileError) -> Bool {
        let guest = Guest(name: name, role: role, ends: now + hours * 3_600)
        let isAdded = try file.change(at: now) { guests in
            guard guests.count < GuestFile.guestLimit else { return false }
            guests.append(guest)
            return true
        }
        guard isAdded else { return false }
        let pages = OwnPage.locations()
        // The code is good for all of them.
        for page in pages.isEmpty ? [OwnPage.expected()] : pages {
            PageDisplay.show(PageAddress.best(page, code: guest.code), isJSON: isJSON)
        }
        guard !isJSON else { return true }
        StandardStream.output.write(
            "\(guest.name) may \(role.reading) for \(hours) h, on the pages of this machine's broadcasts.\n"
                .terminalSafeLine)
        if pages.isEmpty { StandardStream.output.write(Self.unservedNote + "\n") }
        return true
    }

    /// Of an address that nobody serves at the moment.
    static let unservedNote =
        "No page is open on this machine now: this is the address of the next broadcast's page, if that is begun as "
        + "the configuration says and the port is free."

    private func remove(_ name: String, from file: GuestFile, _ now: Int64) throws(RuntimeFailure) {
        let count: Int
        do throws(PrivateFileError) {
            count = try file.change(at: now) { guests in
                let named = Self.meant(name, among: guests)
                if named.count == 1 { guests.removeAll { $0.id == named[0].id } }
                return named.count
            }
        } catch {
            throw RuntimeFailure(error)
        }
        switch count {
        case 0: throw RuntimeFailure(.unknownPeer, .other("there is no guest '\(name)': 'tutti guests' lists them"))
        case 1: return
        default:
            throw RuntimeFailure(
                .usage, .other("\(count) guests are called '\(name)': write the first digits of an id ('tutti guests')")
            )
        }
    }

    /// By the name, or else by the first digits of its id.
    static func meant(_ name: String, among guests: [Guest]) -> [Guest] {
        let named = guests.filter { $0.name == name }
        return named.isEmpty ? guests.filter { name.count >= 4 && $0.id.hex.hasPrefix(name.lowercased()) } : named
    }

    private func list(_ guests: [Guest], _ now: Int64) {
        if isJSON {
            ListOutput.write(
                guests.map {
                    .object([
                        "name": .string($0.name), "id": .string($0.id.hex), "role": .string($0.role.rawValue),
                        "ends": .integer($0.ends),
                    ])
                })
            return
        }
        guard !guests.isEmpty else {
            StandardStream.output.write("no guests: 'tutti guests add NAME' lets one in\n")
            return
        }
        var table = Table(columns: [
            .init(title: "guest", dropOrder: 0), .init(title: "may", dropOrder: 1),
            .init(title: "for", alignment: .right, dropOrder: 2), .init(title: "id", dropOrder: 3),
        ])
        table.rows = guests.map { guest in
            let minutes = (guest.ends - now + 59) / 60
            return [
                .init(text: guest.name.terminalSafe, style: .strong), .init(text: guest.role.reading),
                .init(text: minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"), .init(text: guest.id.hex),
            ]
        }
        ListOutput.write(table)
    }
}

extension GuestRole {
    /// What a guest of this role may do, for people.
    fileprivate var reading: String {
        switch self {
        case .listen: "listen"
        case .add: "listen and add songs"
        case .command: "listen, add songs and command"
        }
    }
}
