import AudioCore
import WireProtocol

/// Where the broadcaster gets an item.
public enum ItemLocation: Hashable, Sendable {
    /// What the broadcaster's own user named: a path, a pipe, a device or an address.
    case local(String)
    /// An address that somebody else named. It must not lead to the broadcaster's own machine.
    case web(WebAddress)
    /// A song that somebody else sent.
    case sent(SentSongID)

    var isWeb: Bool { if case .web = self { true } else { false } }
}

/// Names a song that somebody else sent, and never another one, also when the song is not kept any more.
public struct SentSongID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// An item to be queued, with what is known of it.
public struct NewItem: Hashable, Sendable {
    public var location: ItemLocation
    public var title: String
    /// Nil if they are unknown.
    public private(set) var artist: String?
    public private(set) var album: String?
    /// Nil if it is unknown.
    public private(set) var duration: TimeSpan?
    /// Whether the duration is good enough to be shown, but not to judge by it where the item ends.
    private(set) var isDurationEstimated = false
    public var isLive: Bool
    /// Nil if it is unknown.
    public private(set) var hasPicture: Bool?
    /// Whether it was opened, and said what it says of itself then.
    private var isOpened = false

    public init(_ location: ItemLocation, title: String, duration: TimeSpan? = nil, isLive: Bool = false) {
        self.location = location
        self.title = String(displaying: title, maximumByteCount: Limits.titleByteCount)
        self.duration = duration
        self.isLive = isLive
    }

    /// An item that somebody added: its address, or its file's name, is its title until it is opened.
    /// - Parameter isOwn: whether the broadcaster's own user did, whose addresses may lead anywhere.
    public init(_ source: ItemSource, isOwn: Bool = false) {
        switch source {
        case .web(let address):
            self.init(isOwn ? .local(address.text) : .web(address), title: address.description)
        case .file(let path): self.init(.local(path), title: String(path.split(separator: "/").last ?? "untitled"))
        }
    }
}

extension NewItem {
    /// Takes what the song says of itself when it is looked at. What it said when it was opened stands, but that tells
    /// nothing of a picture.
    mutating func note(_ description: ItemDescription) {
        if isOpened { hasPicture = description.hasPicture ?? hasPicture } else { take(description) }
    }

    /// Takes what the song says of itself when it is opened.
    mutating func noteOpened(_ description: ItemDescription) {
        isOpened = true
        take(description)
    }

    /// What the song does not say stays as it is.
    private mutating func take(_ description: ItemDescription) {
        title = description.title ?? title
        artist = description.artist ?? artist
        album = description.album ?? album
        hasPicture = description.hasPicture ?? hasPicture
        if let duration = description.duration { note(duration, isEstimated: description.isDurationEstimated) }
    }

    /// Takes how long it is; an estimate gives way to any other duration, and to none.
    mutating func note(_ duration: TimeSpan?, isEstimated: Bool = false) {
        guard isDurationEstimated || self.duration == nil || !isEstimated && duration != nil else { return }
        self.duration = duration
        isDurationEstimated = isEstimated
    }

    /// How long it is for sure.
    var exactDuration: TimeSpan? { isDurationEstimated ? nil : duration }
}

/// Limits of a programme and its commands.
public enum ProgrammeLimits {
    /// Items in the queue: 100,000 take some 30 MB.
    public static let itemCount = 100_000
    /// After this much of an item `previous` starts it again.
    public static let restartTime = TimeSpan.seconds(3)
    /// Commands whose outcomes are remembered by their ids, the newest.
    public static let rememberedOutcomeCount = 4_096
    /// Entries of the log that are kept, the newest.
    public static let logEntryCount = 256
    /// Commands that one asker may send at once, and how many a second in the long run: enough for a volume control
    /// that is dragged.
    public static let commandBurst = 100
    public static let commandsPerSecond = 50
    /// Askers whose rates are known at a time. With more than that at once, those that come last are refused.
    public static let askerCount = 1_024
}
