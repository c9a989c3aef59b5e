import Glibc
import Households
import SecureChannel
import TerminalIO
import TuttiRuntime

/// `tutti pair [CODE [NAME|HOST[:PORT]]]`
struct PairCommand: Command {
    static let syntax = CommandSyntax(
        name: "pair",
        summary: "Lets a new machine into the household.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing, on the new machine: show a code, and wait. CODE [NAME|HOST[:PORT]], on a machine of the "
                    + "household: let the new one in. The code is what the new machine shows, with or without its space; "
                    + "- reads it from standard input. A name is needed where several machines wait, an address where "
                    + "mDNS does not reach.")
        ],
        options: [NetworkFlags.port, NetworkFlags.noMDNS, .help],
        notes: [
            "One pairing is enough: all machines of the household know the new one then, and it knows them.",
            "A code holds for one try, or two minutes; then another one is shown. After three failures nobody can pair "
                + "until 'tutti pair' is run again on the new machine. Without a terminal, codes are in its output, as in "
                + "the journal of a service.",
            "--port and --no-mdns are for the new machine.",
            "Exit code: 0 when the machine is let in, and when a new one waited and was stopped 128 and the signal's number; "
                + "64 for a wrong command line, or if several machines could be meant; 68 for a machine that is nowhere; 69 "
                + "where there is no household, or on the new machine already one, without mDNS, or for a machine that does "
                + "not wait; 73 where the state directory cannot be written; 74 for a lost connection, 75 for a machine that "
                + "is busy or takes too long, 76 for another release; 77 for a wrong code or after three, when others may use "
                + "this machine's key, or where no member takes its word, as it was removed itself.",
        ],
        examples: [
            .init(command: "tutti pair", meaning: "on the new machine: shows a code such as 1234 5678"),
            .init(command: "tutti pair 1234 5678", meaning: "on a machine of the household: lets the new one in"),
            .init(
                command: "tutti pair 1234 5678 Kitchen", meaning: "the new machine named Kitchen, of several that wait"),
            .init(command: "tutti pair 1234 5678 10.0.0.7", meaning: "the new machine at this address, without mDNS"),
        ])

    /// What is typed on a machine of the household.
    enum TypedCode: Sendable {
        case code(PairingCode)
        case standardInput
    }

    enum Request: Sendable {
        case wait(NetworkOptions)
        case admit(TypedCode, SponsorTarget)
    }

    let request: Request

    init(_ arguments: CommandArguments) throws(UsageError) {
        guard !arguments.operands.isEmpty else {
            request = .wait(try NetworkFlags.parse(arguments))
            return
        }
        for option in [NetworkFlags.port, NetworkFlags.noMDNS] where arguments.has(option) {
            throw UsageError(
                "\(option.name) is for the new machine; here an address may follow the code", unfitting: [option])
        }
        let (code, rest) = try Self.code(arguments.operands)
        guard rest.count <= 1 else { throw UsageError("only one machine can be named, not also '\(rest[1])'") }
        request = .admit(code, try rest.first.map(Self.target) ?? .any)
    }

    /// Takes the code, of one word or two, from the front of the words.
    private static func code(_ words: [String]) throws(UsageError) -> (TypedCode, rest: [String]) {
        if words[0] == "-" { return (.standardInput, Array(words.dropFirst())) }
        for count in 1...2 where count <= words.count {
            guard let code = PairingCode(words.prefix(count).joined()) else { continue }
            return (.code(code), Array(words.dropFirst(count)))
        }
        // What was typed is not repeated: it may be nearly a code.
        throw UsageError(
            "a code has eight digits, such as 1234 5678; run 'tutti pair' alone on the new machine to see one")
    }

    private static func target(_ text: String) throws(UsageError) -> SponsorTarget {
        ControlFlags.isAddress(text) ? .address(try CommandArguments.address(text, for: "HOST")) : .named(text)
    }

    func run() -> Int32 {
        SignalWatcher.block()
        let interruption = Interruption()
        let code = SessionRunner.exitCode { () throws(RuntimeFailure) in
            do {
                try SignalWatcher.start { signal in
                    guard signal != SIGWINCH, signal != SIGTSTP, signal != SIGCONT else { return }
                    if interruption.raise(signal, now: .now()) == .exitAtOnce { _exit(128 + signal) }
                }
            } catch {
                throw RuntimeFailure(.general, .noThread)
            }
            switch request {
            case .wait(let network): try wait(network, interruption)
            case .admit(let code, let target): try admit(code, target, interruption)
            }
        }
        return code == 0 ? interruption.signal.map { 128 + $0 } ?? 0 : code
    }

    // MARK: On the new machine

    private func wait(_ network: NetworkOptions, _ interruption: Interruption) throws(RuntimeFailure) {
        let machine = try PairingMachine()
        if let household = machine.household {
            throw RuntimeFailure(
                .unavailable, .other("\(machine.membership(in: household)); 'tutti household leave' first"))
        }
        let display = PairingDisplay()
        let newcomer = Newcomer(network: network, identity: machine.identity, store: machine.store)
        interruption.onRaise { newcomer.stop() }
        guard let household = try newcomer.run({ display.show($0) }) else { return }
        StandardStream.output.write(PairingDisplay.success(household, own: machine.identity.keys.key).terminalSafeLine)
    }

    // MARK: On a member

    private func admit(
        _ typed: TypedCode, _ target: SponsorTarget, _ interruption: Interruption
    ) throws(RuntimeFailure) {
        let machine = try PairingMachine()
        guard let household = machine.household else {
            throw RuntimeFailure(.unavailable, .other("no household here: 'tutti household create' makes one"))
        }
        guard household.isMember(machine.identity.keys.key) else {
            throw RuntimeFailure(
                .unavailable, .other("\(machine.membership(in: household)), and can let nobody in"))
        }
        let sponsor = Sponsor(
            target: target, code: try Self.read(typed), identity: machine.identity, store: machine.store)
        interruption.onRaise { sponsor.stop() }
        guard let paired = try sponsor.run() else { return }
        StandardStream.output.write("\(paired.name) belongs to \(paired.household.name) now\n".terminalSafeLine)
        try tell(household.members.filter { $0.peerKey != machine.identity.keys.key }, of: paired.household, machine)
    }

    /// Tells those who were members before.
    private func tell(
        _ members: [Household.Member], of household: Household, _ machine: PairingMachine
    ) throws(RuntimeFailure) {
        guard !members.isEmpty else { return }
        var identity = machine.identity
        identity.household = StoredHousehold(household, in: machine.store)
        let news = try MemberNews.tell(.admission, as: identity, among: members)
        if let failure = news.failure { throw failure }
        StandardStream.output.write("\(MemberNewsSentence(news).text)\n".terminalSafeLine)
    }

    private static func read(_ typed: TypedCode) throws(RuntimeFailure) -> PairingCode {
        switch typed {
        case .code(let code): return code
        case .standardInput:
            guard let code = PairingCode(readLine() ?? "") else {
                throw RuntimeFailure(.usage, .other("what came from standard input is no code of eight digits"))
            }
            return code
        }
    }
}

/// What a machine needs to be paired: a key and a household that last.
private struct PairingMachine {
    let identity: Identity
    let store: HouseholdFile
    /// Nil where there is none.
    let household: Household?

    init() throws(RuntimeFailure) {
        guard let directory = StateDirectory.standard() else {
            throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for this machine's key"))
        }
        let file = HouseholdFile(directory: directory)
        do throws(PrivateFileError) {
            // Unlike for other commands, a key of this run alone would be of no use.
            identity = Identity(keys: try KeyFile(directory: directory).keys())
            household = try file.household()
        } catch {
            throw RuntimeFailure(error)
        }
        store = file
    }

    func membership(in household: Household) -> String {
        switch household.standing(of: identity.keys.key) {
        case .member: "this machine belongs to \(household.name)"
        case .removed: "this machine was removed from \(household.name)"
        case .unknown: "this machine's key was lost or replaced, and is not known to \(household.name)"
        }
    }
}
