import AudioCore
import TuttiRuntime

/// `tutti join [HOST[:PORT]]`
struct JoinCommand: Command {
    static let from = CommandSyntax.Option.value(
        "--from", "NAME,...", repeats: true, candidates: .nameList(.peers),
        "Let only the broadcasters of these names feed this listener.")
    static let name = CommandSyntax.Option.value("--name", "NAME", "Name on the network. Default: the host name.")
    static let once = CommandSyntax.Option.flag("--once", "End after one broadcast instead of waiting for the next.")
    static let offset = CommandSyntax.Option.value(
        "--offset", "MICROSECONDS",
        "Shift this listener: negative sounds earlier, for an amplifier or TV that is late. Remembered for the sound "
            + "device; 0 forgets it.")
    static let volume = CommandSyntax.Option.value(
        "--volume", "PERCENT",
        "From 0 to 100, which leaves samples untouched. Default: what is remembered for the sound device, or 100.")
    static let maximumVolume = CommandSyntax.Option.value(
        "--max-volume", "PERCENT",
        "Never play louder than this, whoever commands it: others, a group, the desktop or a key. Not remembered.")
    static let quietHours = CommandSyntax.Option.value(
        "--quiet-hours", "FROM-TO[=PERCENT]", repeats: true,
        "The same within these hours of every day, by this machine's clock: 22:00-07:00 (silent) or 22:00-07:00=20. "
            + "They begin and end within a second. The broadcast is followed all the while. May be repeated; the lowest "
            + "volume counts.")
    static let role = CommandSyntax.Option.value(
        "--role", "ROLE", candidates: .choices(["stereo", "left", "right", "mono"]),
        "Which channels to play: stereo (as they are), left, right, mono, or a channel's number (1 left, 2 right, 3 "
            + "centre, 4 low frequencies, ...). Default: what is remembered for the sound device, or stereo.")

    static let codecs = CommandSyntax.Option.value(
        "--codecs", "LIST", candidates: .list(CodecNames.all),
        "Decode only these: \(CodecNames.all.joined(separator: ", ")). Broadcasters send any other song as PCM, at about "
            + "1.5 Mbit/s. Spares a weak machine the decoding. Default: all that this machine can.")

    static let syntax = CommandSyntax(
        name: "join",
        summary: "Plays what is broadcast on this machine's loudspeakers, in step with all others.",
        operands: [.broadcaster],
        options: [from, AccessFlags.broadcast, name, once] + OutputFlags.options
            + [offset, volume, maximumVolume, quietHours, role, codecs]
            + [DesktopFlags.mediaKeys, DesktopFlags.notify, InvitationFile.option]
            + NetworkFlags.options + DisplayFlags.options + [ServiceFlags.service, .help],
        notes: [
            "Keys on a terminal: + and - change the volume of this listener, m mutes it. For all listeners: space pauses and "
                + "resumes, left and right go 10 s back and forth, n and p to the next and the previous song, s stops.",
            "Volume, mute and role are remembered for the sound "
                + "device.",
            "Ctrl-C fades out and ends; a second one ends this process at once.",
            InvitationFile.note,
            "Exit code: 0 after Ctrl-C or, with --once, after a broadcast; 64 for a wrong command line, 69 for a port "
                + "or sound card that is not to be had, 77 when others may use this machine's "
                + "key, 1, 73, 74 for other failures.",
        ],
        examples: [
            .init(command: "tutti join", meaning: "plays every broadcast that comes along"),
            .init(command: "tutti join --from Attic", meaning: "plays only what Attic broadcasts"),
            .init(command: "tutti join 192.168.1.10 --no-mdns --once", meaning: "one broadcast, found by address"),
            .init(
                command: "tutti join --device hw:1 --offset -35000",
                meaning: "plays on the second sound card, 35 ms early"),
            .init(
                command: "tutti join --role left --volume 40",
                meaning: "the left one of a pair of loudspeakers, softly"),
            .init(
                command: "tutti join --max-volume 60 --quiet-hours 22:00-07:00=20",
                meaning: "never loud, and soft at night, whatever others command"),
            .init(
                command: "tutti join --household invitation",
                meaning: "comes into the household that the file invites to, and plays what its members broadcast"),
            .init(command: "tutti join --codecs pcm", meaning: "lets the broadcaster do the decoding"),
        ])

    private(set) var options = JoinOptions()
    let invitation: InvitationFile?
    let mediaKeys: DesktopFlags.MediaKeys
    let notifies: Bool
    let display: DisplayFlags
    let isService: Bool
    let arguments: CommandArguments
    /// Makes the same command by the configuration as it is when called; a service does that at SIGHUP.
    var reload: @Sendable () throws(UsageError) -> JoinCommand

    init(_ arguments: CommandArguments) throws(UsageError) {
        options.address = try arguments.broadcasterAddress()
        options.from = try arguments.peerNames(Self.from)
        options.name = try arguments.peerName(Self.name)
        options.once = arguments.has(Self.once)
        if let output = try OutputFlags.parse(arguments) { options.output = output }
        options.offset = try Self.offset(arguments)
        options.volume = try arguments.volume(Self.volume)
        options.volumeLimit = VolumeLimit(
            highest: try arguments.volume(Self.maximumVolume) ?? .full,
            quietHours: try arguments.quietHours(Self.quietHours))
        options.role = try arguments.role(Self.role)
        options.codecs = try arguments.value(of: Self.codecs).map { text throws(UsageError) in
            try CodecNames.codecs(text, for: Self.codecs.name)
        }
        options.network = try NetworkFlags.parse(arguments)
        invitation = InvitationFile(arguments)
        mediaKeys = try DesktopFlags.mediaKeys(arguments)
        notifies = arguments.has(DesktopFlags.notify)
        display = try DisplayFlags(arguments)
        options.statusInterval = display.statusInterval
        isService = arguments.has(ServiceFlags.service)
        options.waitsForOutput = isService
        self.arguments = arguments
        reload = { () throws(UsageError) in try Self.configured(arguments.words, .load()) }
    }

    /// What the same words mean by the configuration as it is now.
    /// - Throws: also for a mistake in a file, so that what was in force can stay so. The environment is that of the
    ///   start, which has warned of it.
    static func configured(_ words: [String], _ layers: ConfigurationLayers) throws(UsageError) -> JoinCommand {
        let configured = try ConfiguredCommand<JoinCommand>(words, layers)
        if let mistake = configured.mistakes.first(where: \.isOfFile) { throw UsageError("\(mistake)") }
        return configured.command
    }

    private static let offsetLimit = Int64(LoudspeakerSettings.offsetRange.upperBound.microseconds)

    private static func offset(_ arguments: CommandArguments) throws(UsageError) -> TimeSpan? {
        guard let text = arguments.value(of: Self.offset), let wanted = Int64(text),
            wanted.magnitude > offsetLimit.magnitude
        else {
            return try arguments.integer(Self.offset, in: -offsetLimit...offsetLimit, unit: "microseconds")
                .map { .microseconds($0) }
        }
        throw UsageError(
            Self.offset,
            "\(text) is more than a listener can shift its sound; it takes \(offsetLimit) us at most, either way")
    }

    func run() -> Int32 { isService ? ServiceRunner.run(self) : runner.run(warnings: [], session) }
}

extension JoinCommand: ServedCommand {
    func reloaded() throws(UsageError) -> JoinCommand { try reload() }

    var runner: SessionRunner {
        var session = SessionRunner(flags: display, codeWhenInterrupted: { _ in 0 }, readsKeys: true)
        session.enrolment = { [invitation, options] identity throws(RuntimeFailure) in
            try invitation?.enrolment(
                of: identity, addresses: options.address.map { [$0] } ?? [],
                usesDiscovery: options.network.usesDiscovery)
        }
        return session
    }

    func session(_ identity: SessionRunner.IdentityLoader) throws(RuntimeFailure) -> SessionRunner.Session {
        var options = options
        options.memory = MemoryStore.standard()
        options.pins = PinFile.standard()
        options.lookups = ProgramLookups.ofThisProgram()
        let listener = try Listener(options: options, identity: identity())
        return .init(
            run: { handler throws(RuntimeFailure) in try listener.run(handler) }, stop: { listener.stop() },
            onKey: { key in
                if let operation = ProgrammeOperation(key) { listener.perform(operation) }
                if let command = LoudspeakerCommand(key) { listener.perform(command) }
            }, signOfLife: { listener.askForSignOfLife($0) },
            desktop: mediaKeys.presence(of: listener, notifies: notifies))
    }
}
