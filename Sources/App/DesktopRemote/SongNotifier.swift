import AudioCore

/// Notifications of songs that begin to sound: when one is due, and what the server's replies mean (Desktop
/// Notifications Specification 1.2, https://specifications.freedesktop.org/notification-spec/1.2/). Owns no bus.
///
///     unknown ──a song begins──▶ asking ──capabilities──▶ ready ⇄ notifying
///        └───────────an error, a missing or a hanging server────┘
///
/// There is one call at a time, and one notification, which the next takes the place of. Songs that begin in the
/// meantime wait, the newest of them.
struct SongNotifier {
    /// A call of the server.
    enum Call: Hashable {
        case getCapabilities
        case notify([BusValue])

        static let server = "org.freedesktop.Notifications"
        static let path = "/org/freedesktop/Notifications"

        var method: String {
            switch self {
            case .getCapabilities: "GetCapabilities"
            case .notify: "Notify"
            }
        }

        var arguments: [BusValue] {
            switch self {
            case .getCapabilities: []
            case .notify(let arguments): arguments
            }
        }
    }

    enum Reply: Hashable {
        case values([BusValue?])
        case error
    }

    private enum Phase {
        /// Whether there is a server is not known.
        case unknown
        case asking(RemoteStatus.Song)
        case ready(hasMarkup: Bool)
        case notifying(hasMarkup: Bool, next: RemoteStatus.Song?)
    }

    private var phase = Phase.unknown
    /// When the last call was made.
    private var called = HostTime(nanoseconds: 0)
    /// The server's number for the notification; 0 for none.
    private var number: UInt32 = 0
    /// The song that began last.
    private var last: RemoteStatus.Song?
    /// Since when nothing plays, nor is paused; nil while something is.
    private var silentSince: HostTime?
    /// Whether no server was found, and nobody was told.
    private var isMissing = false
    private var isMissingTold = false

    /// A song that is heard again after so much of nothing begins anew. A seek is shorter.
    static let rest = TimeSpan.seconds(3)
    /// A server that has not answered for so long is given up: the next song asks anew. libdbus waits 25 s by default.
    static let patience = TimeSpan.seconds(30)

    // MARK: What the player does

    /// Takes what the player does now.
    /// - Returns: the call that is due.
    mutating func take(_ status: RemoteStatus, now: HostTime) -> Call? {
        guard let song = beginning(status, now) else { return nil }
        if now - called >= Self.patience { giveUp() }
        return begin(song, now)
    }

    /// Returns the song if it begins to sound.
    private mutating func beginning(_ status: RemoteStatus, _ now: HostTime) -> RemoteStatus.Song? {
        guard status.playback != .stopped, let song = status.song else {
            silentSince = silentSince ?? now
            return nil
        }
        if let silentSince, now - silentSince > Self.rest { last = nil }
        silentSince = nil
        if let last, last.isSame(as: song) {
            // It is known by all that was ever said of it.
            if song.path != nil { self.last = song }
            return nil
        }
        guard status.playback == .playing, !song.isArtworkSought else { return nil }
        last = song
        return song
    }

    /// Forgets the call that is not answered, if there is one, and the server.
    private mutating func giveUp() {
        switch phase {
        case .asking, .notifying: (phase, number) = (.unknown, 0)
        case .unknown, .ready: break
        }
    }

    private mutating func begin(_ song: RemoteStatus.Song, _ now: HostTime) -> Call? {
        switch phase {
        case .unknown:
            (phase, called) = (.asking(song), now)
            return .getCapabilities
        case .asking:
            phase = .asking(song)
            return nil
        case .ready(let hasMarkup):
            (phase, called) = (.notifying(hasMarkup: hasMarkup, next: nil), now)
            return .notify(arguments(of: song, hasMarkup: hasMarkup))
        case .notifying(let hasMarkup, _):
            phase = .notifying(hasMarkup: hasMarkup, next: song)
            return nil
        }
    }

    // MARK: What the server says

    /// Takes the reply to the last call.
    /// - Returns: the call that is due.
    mutating func take(_ reply: Reply, now: HostTime) -> Call? {
        switch (phase, reply) {
        case (.asking(let song), .values(let values)):
            let capabilities: [String] = if case .strings(let texts)?? = values.first { texts } else { [] }
            phase = .ready(hasMarkup: capabilities.contains("body-markup"))
            return begin(song, now)
        case (.asking, .error):
            phase = .unknown
            isMissing = true
            return nil
        case (.notifying(let hasMarkup, let next), .values(let values)):
            if case .uint32(let number)?? = values.first { self.number = number }
            phase = .ready(hasMarkup: hasMarkup)
            return next.flatMap { begin($0, now) }
        case (.notifying(_, let next), .error):
            // It may have made room for another server.
            (phase, number) = (.unknown, 0)
            return next.flatMap { begin($0, now) }
        case (.unknown, _), (.ready, _): return nil
        }
    }

    /// Returns, once, whether no server was found.
    mutating func takeMissing() -> Bool {
        guard isMissing, !isMissingTold else { return false }
        isMissingTold = true
        return true
    }

    // MARK: Words

    /// Of `Notify`: the program, the number of the notification that makes room, icon, summary, body, actions, hints,
    /// and the time that it is shown for, which is the server's.
    private func arguments(of song: RemoteStatus.Song, hasMarkup: Bool) -> [BusValue] {
        let lines = [song.artist, song.album].compactMap(\.self).map { text in
            let text = Self.bounded(text)
            return hasMarkup ? Self.escaped(text) : text
        }
        return [
            .string("Tutti"), .uint32(number), .string(song.artworkPath.map(FileURL.text) ?? "audio-x-generic"),
            .string(Self.bounded(song.title)), .string(lines.joined(separator: "\n")), .strings([]),
            .dictionary(Self.hints), .int32(-1),
        ]
    }

    private static let hints = [
        // Low (specification, "Urgency Levels").
        BusProperty(name: "urgency", value: .byte(0)),
        // One of a vendor's own (specification, "Categories"): none of the standard ones is of songs.
        BusProperty(name: "category", value: .string("x-tutti.song.started")),
        BusProperty(name: "transient", value: .bool(true)),
        BusProperty(name: "desktop-entry", value: .string("tutti")),
    ]

    /// Titles come from peers and files.
    private static func bounded(_ text: String) -> String {
        String(displaying: text, maximumByteCount: Limits.titleByteCount)
    }

    /// A body's markup is XML (specification, "Markup").
    private static func escaped(_ text: String) -> String {
        // Not by its characters: one may be of such a sign and an accent.
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
