import AudioCore

/// A player as MPRIS sees it: properties, what changed of them, and what a call means. Owns no bus, thread or clock.
struct RemoteModel: Sendable {
    /// A signal to send.
    enum Signal: Hashable {
        /// Properties of the player have these values now.
        case changed([BusProperty])
        /// The song went to this place, in microseconds, other than by playing.
        case seeked(Int64)
    }

    /// What a call is answered with.
    enum Answer: Hashable {
        case values([BusValue])
        /// One value, as a variant.
        case variant(BusValue)
        case error(Name, String)

        /// The raw values are names of D-Bus errors.
        enum Name: String {
            case unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
            case unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
            case unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
            case readOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
            case badArguments = "org.freedesktop.DBus.Error.InvalidArgs"
        }
    }

    let identity: String
    /// Whether it plays songs by their URLs.
    let opensSongs: Bool
    private var status = RemoteStatus(.stopped)
    private var since = HostTime(nanoseconds: 0)
    /// Of the song: another one for each.
    private var trackNumber: UInt64 = 0
    /// The volume that a client set last, until the player has it or is known not to take it.
    private var askedVolume: (value: Double, time: HostTime)?

    /// A status comes late by less than this; what is farther off was a seek.
    static let seekThreshold = TimeSpan.milliseconds(700)
    /// A player that takes a volume shows it within this time. A client that set another one than the player has must
    /// be told: it shows what it set.
    static let volumePatience = TimeSpan.milliseconds(500)

    init(identity: String, opensSongs: Bool) {
        self.identity = identity
        self.opensSongs = opensSongs
    }

    // MARK: What the player says

    /// Takes what the player does now.
    /// - Returns: what to tell the bus.
    mutating func take(_ next: RemoteStatus, now: HostTime) -> [Signal] {
        let before = playerProperties
        let expected = position(now)
        let isSameSong = next.song.map { song in status.song?.isSame(as: song) ?? false } ?? (status.song == nil)
        if !isSameSong { trackNumber += 1 }
        (status, since) = (next, now)
        let isVolumeRefused = refusesVolume(now)
        let changed = playerProperties.filter { !before.contains($0) || $0.name == "Volume" && isVolumeRefused }
        var signals: [Signal] = changed.isEmpty ? [] : [.changed(changed)]
        if isSameSong, status.song != nil, (position(now) - expected).magnitude > Self.seekThreshold {
            signals.append(.seeked(position(now).wholeMicroseconds))
        }
        return signals
    }

    /// Whether it is clear by now that the player has another volume than a client set.
    private mutating func refusesVolume(_ now: HostTime) -> Bool {
        guard let asked = askedVolume else { return false }
        // Players round it to a hundredth.
        let isTaken = abs(status.volume - asked.value) < 0.006
        guard isTaken || now - asked.time >= Self.volumePatience else { return false }
        askedVolume = nil
        return !isTaken
    }

    /// Takes note of a command that a client gave.
    mutating func note(_ command: RemoteCommand, now: HostTime) {
        if case .setVolume(let volume) = command { askedVolume = (volume, now) }
    }

    private func position(_ now: HostTime) -> TimeSpan {
        let elapsed = status.playback == .playing ? status.elapsed + max(.zero, now - since) : status.elapsed
        return status.song?.length.map { min($0, elapsed) } ?? elapsed
    }

    // MARK: Properties

    private var rootProperties: [BusProperty] {
        [
            BusProperty(name: "CanQuit", value: .bool(true)), BusProperty(name: "CanRaise", value: .bool(false)),
            BusProperty(name: "HasTrackList", value: .bool(false)),
            BusProperty(name: "Identity", value: .string(identity)),
            BusProperty(name: "DesktopEntry", value: .string("tutti")),
            BusProperty(
                name: "SupportedUriSchemes", value: .strings(opensSongs ? ["file", "http", "https"] : [])),
            BusProperty(name: "SupportedMimeTypes", value: .strings(opensSongs ? Self.mimeTypes : [])),
        ]
    }

    static let mimeTypes = [
        "audio/mpeg", "audio/aac", "audio/mp4", "audio/flac", "audio/x-wav", "audio/x-aiff", "audio/ogg",
        "audio/x-vorbis+ogg", "audio/x-opus+ogg", "audio/basic", "audio/x-caf", "audio/AMR", "audio/ac3",
        "audio/x-mpegurl", "audio/x-scpls",
    ]

    /// Those that change, of which the bus is told: all but the position.
    private var playerProperties: [BusProperty] {
        [
            BusProperty(name: "PlaybackStatus", value: .string(status.playback.rawValue)),
            BusProperty(name: "Rate", value: .double(1)), BusProperty(name: "MinimumRate", value: .double(1)),
            BusProperty(name: "MaximumRate", value: .double(1)),
            BusProperty(name: "Metadata", value: .dictionary(metadata)),
            BusProperty(name: "Volume", value: .double(status.volume)),
            BusProperty(name: "CanGoNext", value: .bool(status.hasNext)),
            BusProperty(name: "CanGoPrevious", value: .bool(status.song != nil)),
            BusProperty(name: "CanPlay", value: .bool(true)), BusProperty(name: "CanPause", value: .bool(true)),
            BusProperty(name: "CanSeek", value: .bool(status.song?.length != nil)),
            BusProperty(name: "CanControl", value: .bool(true)),
        ] + modeProperties
    }

    private var modeProperties: [BusProperty] {
        guard let modes = status.modes else { return [] }
        return [
            BusProperty(name: "LoopStatus", value: .string(modes.loop.rawValue)),
            BusProperty(name: "Shuffle", value: .bool(modes.isShuffled)),
        ]
    }

    private var trackPath: String {
        // The path of no song (TrackId of the specification's Track List interface).
        status.song == nil ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/tutti/track/\(trackNumber)"
    }

    private var metadata: [BusProperty] {
        var entries = [BusProperty(name: "mpris:trackid", value: .objectPath(trackPath))]
        guard let song = status.song else { return entries }
        entries.append(BusProperty(name: "xesam:title", value: .string(song.title)))
        if let artist = song.artist { entries.append(BusProperty(name: "xesam:artist", value: .strings([artist]))) }
        if let album = song.album { entries.append(BusProperty(name: "xesam:album", value: .string(album))) }
        if let length = song.length {
            entries.append(BusProperty(name: "mpris:length", value: .int64(length.wholeMicroseconds)))
        }
        if let path = song.artworkPath {
            entries.append(BusProperty(name: "mpris:artUrl", value: .string(FileURL.text(of: path))))
        }
        return entries
    }

    private func properties(of interface: String, now: HostTime) -> [BusProperty]? {
        switch interface {
        case MPRIS.root: rootProperties
        case MPRIS.player:
            playerProperties + [BusProperty(name: "Position", value: .int64(position(now).wholeMicroseconds))]
        default: nil
        }
    }

    // MARK: Calls

    /// Returns the answer to a call, and the command that it is.
    /// - Parameters:
    ///   - interface: nil where the caller leaves it out: the method's name decides.
    ///   - arguments: nil for values of types that no method takes.
    func answer(
        _ interface: String?, _ method: String, _ arguments: [BusValue?], now: HostTime
    ) -> (answer: Answer, command: RemoteCommand?) {
        switch (interface, method) {
        case (MPRIS.properties, "Get"), (nil, "Get"): (get(arguments, now), nil)
        case (MPRIS.properties, "GetAll"), (nil, "GetAll"): (getAll(arguments, now), nil)
        case (MPRIS.properties, "Set"), (nil, "Set"): set(arguments)
        case (MPRIS.introspectable, "Introspect"), (nil, "Introspect"):
            (.values([.string(MPRIS.introspection(hasModes: status.modes != nil))]), nil)
        case (MPRIS.peer, "Ping"): (.values([]), nil)
        case (MPRIS.root, "Raise"), (nil, "Raise"): (.values([]), nil)
        case (MPRIS.root, "Quit"), (nil, "Quit"): (.values([]), .quit)
        case (MPRIS.player, _), (nil, _): call(method, arguments)
        default: (.error(.unknownMethod, "there is no \(method)"), nil)
        }
    }

    private func call(_ method: String, _ arguments: [BusValue?]) -> (Answer, RemoteCommand?) {
        let simple: [String: RemoteCommand] = [
            "Next": .next, "Previous": .previous, "Pause": .pause, "PlayPause": .playPause, "Stop": .stop,
            "Play": .play,
        ]
        if method == "Next", !status.hasNext { return (.values([]), nil) }
        if let command = simple[method] { return (.values([]), command) }
        switch (method, arguments.first ?? nil, arguments.dropFirst().first ?? nil) {
        case ("Seek", .int64(let offset)?, _):
            // Without a length nobody knows where that is.
            return (.values([]), status.song?.length == nil ? nil : .skip(by: .clamped(microseconds: offset)))
        case ("SetPosition", .objectPath(let track)?, .int64(let position)?):
            return (.values([]), place(position, of: track).map { .seek(to: $0) })
        case ("OpenUri", .string(let url)?, _): return (.values([]), opensSongs ? .open(url) : nil)
        case ("Seek", _, _), ("SetPosition", _, _), ("OpenUri", _, _):
            return (.error(.badArguments, "\(method) takes other arguments"), nil)
        default: return (.error(.unknownMethod, "there is no \(method)"), nil)
        }
    }

    /// A place that is not in the song, or in another song than the one that plays, is none.
    private func place(_ microseconds: Int64, of track: String) -> TimeSpan? {
        guard track == trackPath, let length = status.song?.length, microseconds >= 0,
            microseconds <= length.wholeMicroseconds
        else { return nil }
        return .microseconds(microseconds)
    }

    private func get(_ arguments: [BusValue?], _ now: HostTime) -> Answer {
        guard case .string(let interface)?? = arguments.first, case .string(let name)?? = arguments.dropFirst().first
        else { return .error(.badArguments, "Get takes an interface and a property") }
        guard let properties = properties(of: interface, now: now) else {
            return .error(.unknownInterface, "there is no \(interface)")
        }
        guard let property = properties.first(where: { $0.name == name }) else {
            return .error(.unknownProperty, "there is no \(name)")
        }
        return .variant(property.value)
    }

    private func getAll(_ arguments: [BusValue?], _ now: HostTime) -> Answer {
        guard case .string(let interface)?? = arguments.first else {
            return .error(.badArguments, "GetAll takes an interface")
        }
        guard let properties = properties(of: interface, now: now) else {
            return .error(.unknownInterface, "there is no \(interface)")
        }
        return .values([.dictionary(properties)])
    }

    private func set(_ arguments: [BusValue?]) -> (Answer, RemoteCommand?) {
        guard arguments.count == 3, case .string(let interface)? = arguments[0], case .string(let name)? = arguments[1]
        else { return (.error(.badArguments, "Set takes an interface, a property and a value"), nil) }
        switch (interface, name, arguments[2]) {
        case (MPRIS.player, "Volume", .double(let volume)?):
            return (.values([]), volume.isNaN ? nil : .setVolume(min(1, max(0, volume))))
        // There is one rate; a player takes no other (specification, "Rate").
        case (MPRIS.player, "Rate", .double?): return (.values([]), nil)
        case (MPRIS.player, "Volume", _), (MPRIS.player, "Rate", _):
            return (.error(.badArguments, "\(name) is a number"), nil)
        case (MPRIS.player, "LoopStatus", let value) where status.modes != nil:
            guard case .string(let text)? = value, let loop = RemoteStatus.Loop(rawValue: text) else {
                return (.error(.badArguments, "LoopStatus is None, Track or Playlist"), nil)
            }
            return (.values([]), .setLoop(loop))
        case (MPRIS.player, "Shuffle", let value) where status.modes != nil:
            guard case .bool(let isShuffled)? = value else {
                return (.error(.badArguments, "Shuffle is true or false"), nil)
            }
            return (.values([]), .setShuffle(isShuffled))
        default:
            let isKnown = properties(of: interface, now: since)?.contains { $0.name == name } ?? false
            return (.error(isKnown ? .readOnly : .unknownProperty, "\(name) cannot be set"), nil)
        }
    }
}

extension TimeSpan {
    fileprivate var wholeMicroseconds: Int64 { nanoseconds / 1_000 }

    /// What nanoseconds cannot express becomes the longest.
    fileprivate static func clamped(microseconds: Int64) -> TimeSpan {
        .microseconds(min(max(microseconds, -Int64.max / 1_000), Int64.max / 1_000))
    }
}
