import AudioCore
import DesktopRemote
import Songs
import TuttiRuntime
import WebRemote

/// `tutti broadcast SONG...`, or `--capture NAME`
struct BroadcastCommand: Command {
    static let name = CommandSyntax.Option.value("--name", "NAME", "Name on the network. Default: the host name.")
    static let to = CommandSyntax.Option.value(
        "--to", "NAME,...", repeats: true, candidates: .nameList(.peers),
        "Feed only the listeners of these names. Fails if none is there after 10 s.")
    static let listener = CommandSyntax.Option.value(
        "--listener", "HOST[:PORT]", repeats: true, "Connect to this listener by address. May be repeated.")
    static let wait = CommandSyntax.Option.value("--wait", "N", "Start when N listeners are ready. Default: 1.")
    static let now = CommandSyntax.Option.flag("--now", "Start at once, listeners or none.")
    static let play = CommandSyntax.Option.flag("--play", "Play on this machine too, in step with the others.")
    static let loudness = CommandSyntax.Option.value(
        "--loudness", "track|album|off", candidates: .choices(["track", "album", "off"]),
        "Make songs equally loud by their ReplayGain or R128 tags, or whole albums; never so that a song clips. All "
            + "listeners do the same. Default: off, which leaves samples untouched.")
    static let repeatAll = CommandSyntax.Option.flag("--repeat", "After the last song begin again with the first.")
    static let repeatOne = CommandSyntax.Option.flag("--repeat-one", "Play one song again and again.")
    static let shuffle = CommandSyntax.Option.flag("--shuffle", "Play the songs in random order.")
    static let idle = CommandSyntax.Option.flag(
        "--idle", "Stay when all songs were heard, and wait for commands. SONG may be missing then.")
    static let acceptSongs = CommandSyntax.Option.flag(
        "--accept-songs",
        "Let the machines that may command it add songs with `tutti queue add`, and without a household everybody by "
            + "the page for browsers: URLs, and files, which they send. Files are kept until they were played: 200 of "
            + "them and 2 GiB at most, 1 GiB each; 8 can be sent at once.")
    static let startDelay = CommandSyntax.Option.value(
        "--start-delay", "MS",
        "From the start to the first sound, in milliseconds. Default: what the listeners need, mostly 180.")

    static let raw = CommandSyntax.Option.value(
        "--raw", "RATE:CHANNELS:FORMAT",
        "The SONGs are samples without a header: 48000:2:s16le. Formats: u8, s8, s16 to s64, f32 and f64, le or be.")

    static let capture = CommandSyntax.Option.value(
        "--capture", "NAME", candidates: .names(.captureDevices),
        "Instead of songs: what this sound device hears, live. 'default' is the default device.")
    static let latency = CommandSyntax.Option.value(
        "--latency", "MS", "Of --capture: from the microphone to all loudspeakers, in milliseconds. Default: 500.")

    static let syntax = CommandSyntax(
        name: "broadcast",
        summary: "Plays songs on every listener, at the same instant.",
        operands: [
            .init(
                name: CommandSyntax.Operand.song, isRequired: false, repeats: true, key: "song",
                help:
                    "A file: MP3, AAC, MPEG-4, FLAC, WAVE, AIFF, CAF, AU, Ogg, AC-3 or AMR; a directory: the songs in "
                    + "it and below, by album, disc and track; or a playlist: M3U, M3U8 or PLS. Of several songs each "
                    + "follows the one before; one that cannot be played is told of and passed over. A FIFO, or - for "
                    + "standard input: a song as it is written. An http or https URL: a song, a station or a playlist; "
                    + "this takes libcurl4.",
                candidates: .files)
        ],
        options: SongFlags.options + [
            name, to, listener, AccessFlags.listen, AccessFlags.command, wait, now, play, loudness, raw, capture,
            latency,
        ] + OutputFlags.options
            + [
                repeatAll, repeatOne, shuffle, idle, acceptSongs, startDelay, DesktopFlags.noMediaKeys,
                DesktopFlags.notify, InvitationFile.option,
            ]
            + PageFlags.options + NetworkFlags.options + DisplayFlags.options + [.help],
        notes: [
            "What --capture hears begins at once, listeners or none; who joins, joins in the middle. The sound card's clock is "
                + "followed, so it goes on for as long as nobody ends it.",
            "Keys on a terminal, for all listeners: space pauses and resumes, left and right go 10 s back and forth, n and p to the "
                + "next and the previous song, s stops. + and - change the volume of the group, and m mutes it; with "
                + "--play those of this machine's own loudspeakers. w shows the QR code of the page for browsers.",
            "Any browser on the network can show, command and play the broadcast, by the page that it serves: "
                + "http://ADDRESS:\(WebOptions.standardPort)/, or https:// with --certificate. In a household the page is there "
                + "while a guest has a code ('tutti guests').",
            "Ctrl-C ends the broadcast for all listeners; a second one ends this process at once.",
            InvitationFile.note,
            "Exit code: 0 when the last frame of every song was heard, 130 after Ctrl-C (128 + N after signal N), 64 for a wrong "
                + "command line, 65 for a song that cannot be played or a certificate without use, 66 for a missing one, 68 for a peer that is "
                + "nowhere, 69 for a port or sound card that is not to be had, 77 when others may use this machine's "
                + "key, 1, 73, 74 for other failures.",
        ],
        examples: [
            .init(command: "tutti broadcast song.mp3", meaning: "waits for the first listener, then plays"),
            .init(
                command: "tutti broadcast song.mp3 --wait 2 --play",
                meaning: "waits for two listeners, and sounds here as well"),
            .init(
                command: "tutti broadcast Music/Album party.m3u",
                meaning: "the album's songs in their order, then those of a playlist"),
            .init(
                command: "arecord -t raw -f dat | tutti broadcast - --raw 48000:2:s16le",
                meaning: "what a program writes, samples as they come"),
            .init(command: "tutti broadcast --album \"Kind of Blue\"", meaning: "found in the music folders"),
            .init(command: "tutti broadcast --capture hw:1", meaning: "a microphone, half a second later everywhere"),
            .init(
                command: "tutti broadcast song.mp3 --listener 192.168.1.20 --no-mdns",
                meaning: "finds its listener by address, without mDNS"),
        ])

    /// The songs, in order.
    let paths: [String]
    /// Songs that follow these.
    let further: SongFlags?
    /// The options of the broadcast.
    private(set) var options: BroadcastOptions
    let invitation: InvitationFile?
    let page: WebOptions?
    let certificate: PageCertificate.Files?
    let desktop: DesktopRemote.Uses
    let display: DisplayFlags

    init(_ arguments: CommandArguments) throws(UsageError) {
        paths = arguments.operands
        further = try SongFlags(arguments)
        let capture = try Self.capture(arguments)
        guard capture != nil || !paths.isEmpty || further != nil || arguments.has(Self.idle) else {
            throw UsageError("SONG is missing: tutti broadcast SONG")
        }
        guard !paths.contains("") else { throw UsageError(valueOf: CommandSyntax.Operand.song, "the name is empty") }
        options = BroadcastOptions()
        options.capture = capture
        options.name = try arguments.peerName(Self.name)
        options.to = try arguments.peerNames(Self.to)
        options.listeners = try arguments.addresses(Self.listener)
        options.start = try Self.start(arguments)
        options.output = try Self.output(arguments)
        options.raw = try Self.raw(arguments)
        options.loudness = try arguments.loudness(Self.loudness)
        options.modes.repeats = try Self.repeatMode(arguments)
        options.modes.isShuffled = arguments.has(Self.shuffle)
        options.staysIdle = arguments.has(Self.idle)
        options.acceptsSongs = arguments.has(Self.acceptSongs)
        if let delay = try arguments.integer(Self.startDelay, in: 50...10_000, unit: "milliseconds") {
            options.startDelay = .milliseconds(delay)
        }
        options.network = try NetworkFlags.parse(arguments)
        invitation = InvitationFile(arguments)
        page = try PageFlags.parse(arguments)
        certificate = try PageFlags.certificateFiles(arguments)
        desktop = DesktopFlags.uses(arguments)
        display = try DisplayFlags(arguments)
    }

    func run() -> Int32 { SongFlags.run(paths, further) { run($0) } }

    private func run(_ songs: [String]) -> Int32 {
        // If the song comes through standard input, keys cannot.
        var session = SessionRunner(
            flags: display, codeWhenInterrupted: { 128 + $0 },
            readsKeys: !paths.contains("-"))
        session.enrolment = { [invitation, options] identity throws(RuntimeFailure) in
            try invitation?.enrolment(
                of: identity, addresses: options.listeners, usesDiscovery: options.network.usesDiscovery)
        }
        return session.run(warnings: warnings) { identity throws(RuntimeFailure) in
            var page = page
            page?.certificate = try PageFlags.certificate(in: certificate)
            var options = options
            options.memory = MemoryStore.standard()
            options.pins = PinFile.standard()
            options.lookups = ProgramLookups.ofThisProgram()
            let identity = try identity()
            let broadcaster = Broadcaster(songs: songs, options: options, identity: identity)
            return .init(
                run: { handler throws(RuntimeFailure) in try broadcaster.run(handler) }, stop: { broadcaster.stop() },
                onKey: { key in
                    if let operation = ProgrammeOperation(key) { broadcaster.perform(operation) }
                    if let command = LoudspeakerCommand(key) { broadcaster.perform(command) }
                }, desktop: .of(broadcaster, desktop),
                page: PagePresence(of: broadcaster, page, options, identity))
        }
    }

    /// Warnings about what is allowed and may still disappoint.
    var warnings: [String] {
        guard let delay = options.startDelay, delay < .milliseconds(100) else { return [] }
        return ["a start delay below 100 ms may be too short for slow links and sound cards"]
    }

    private static func repeatMode(_ arguments: CommandArguments) throws(UsageError) -> RepeatMode {
        switch (arguments.has(repeatAll), arguments.has(repeatOne)) {
        case (false, false): .off
        case (true, false): .all
        case (false, true): .one
        case (true, true): throw UsageError(exclusive: [repeatAll, repeatOne])
        }
    }

    private static func start(_ arguments: CommandArguments) throws(UsageError) -> BroadcastOptions.Start {
        let count = try arguments.integer(wait, in: 1...10_000, unit: "listeners")
        guard arguments.has(now) else { return .whenReady(listeners: Int(count ?? 1)) }
        guard count == nil else { throw UsageError(exclusive: [wait, now]) }
        return .now
    }

    private static func capture(_ arguments: CommandArguments) throws(UsageError) -> CaptureOptions? {
        guard let name = arguments.value(of: capture) else {
            guard arguments.value(of: latency) == nil else {
                throw UsageError("--latency is for --capture NAME", unfitting: [latency])
            }
            return nil
        }
        guard !name.isEmpty else { throw UsageError(valueOf: capture.name, "the name is empty") }
        let further = try SongFlags(arguments)
        guard arguments.operands.isEmpty, further == nil else {
            throw UsageError(
                "--capture and songs exclude each other",
                exclusive: [capture.name, CommandSyntax.Operand.song] + SongFlags.options.map(\.name))
        }
        let given =
            [raw, wait, startDelay].filter { arguments.value(of: $0) != nil }
            + [repeatAll, repeatOne].filter { arguments.has($0) }
        if let option = given.first {
            throw UsageError(
                "\(option.name) is for songs; --capture begins at once", exclusive: [option.name, capture.name])
        }
        var options = CaptureOptions(deviceName: name)
        let range = CaptureOptions.latencyRange
        let milliseconds = range.lowerBound.nanoseconds / 1_000_000...range.upperBound.nanoseconds / 1_000_000
        if let latency = try arguments.integer(latency, in: milliseconds, unit: "milliseconds") {
            options.latency = .milliseconds(latency)
        }
        return options
    }

    static func raw(_ arguments: CommandArguments) throws(UsageError) -> RawPCMFormat? {
        guard let text = arguments.value(of: raw) else { return nil }
        do throws(RawPCMFormatError) {
            return try RawPCMFormat(parsing: text)
        } catch {
            throw UsageError(valueOf: raw.name, error.message)
        }
    }

    private static func output(_ arguments: CommandArguments) throws(UsageError) -> OutputSelection? {
        let output = try OutputFlags.parse(arguments)
        guard !arguments.has(play) else { return output ?? .device(name: "default") }
        guard output == nil else {
            throw UsageError("--device and --output of a broadcast need --play", unfitting: OutputFlags.options)
        }
        return nil
    }
}
