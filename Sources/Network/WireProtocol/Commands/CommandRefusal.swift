import AudioCore
import NIOCore

/// Why a command was refused.
public enum CommandRefusal: Error, Hashable, Sendable {
    /// A reason that this version does not know.
    case other
    /// The peer may not command this broadcast, or not in this way.
    case notAllowed
    case nothingPlays
    case queueIsEmpty
    case noSuchItem
    /// No listener has this name. `nearest` is the name that was probably meant.
    case noSuchListener(nearest: String?)
    case outOfRange
    case liveCannotSeek
    case queueIsFull
    case unknownOperation
    /// More commands came from this peer than are accepted: ask again later.
    case tooManyCommands
    /// What it asks to play cannot be played.
    case unplayable
    /// The broadcaster has no room for songs from other machines now.
    case noRoom
    /// The source of what plays gives its song from the beginning to the end only.
    case cannotSeek
    /// The listener of this name has a file for its loudspeakers.
    case listenerRecords
    /// A song from another machine is longer than the broadcaster ever keeps.
    case songTooLong
    /// As many songs are being sent to the broadcaster as may be at once.
    case tooManySongs
    /// In open mode a listener's offset and role are set on the listener's machine alone.
    case onlyItself
}

extension CommandRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .other: "the broadcaster refuses"
        case .notAllowed: "the broadcaster does not allow that"
        case .nothingPlays: "nothing plays"
        case .queueIsEmpty: "the queue is empty"
        case .noSuchItem: "the queue has no such item"
        case .noSuchListener(let nearest):
            "no listener has this name" + (nearest.map { ": did you mean \($0)?" } ?? "")
        case .outOfRange: "the number is out of range"
        case .liveCannotSeek: "this item is live: it has no other place to seek to"
        case .queueIsFull: "the queue is full"
        case .unknownOperation: "the broadcaster does not know this command: install the same release on both"
        case .unplayable: "that song cannot be played: the broadcaster says why"
        case .noRoom: "there is no room for songs from other machines until some were played"
        case .cannotSeek: "this source cannot seek"
        case .listenerRecords: "that listener records: it has no volume, offset or role"
        case .songTooLong: "a song that is sent may have 1 GiB at most"
        case .tooManySongs: "too many songs are being sent to it: try again when they are there"
        case .onlyItself:
            "without a household offsets and roles are set on the listener's own machine; 'tutti household create' here "
                + "lets members set each other's"
        case .tooManyCommands: "too many commands at once: try again in a second"
        }
    }
}

extension CommandRefusal {
    /// Codes in the order of their numbers.
    private var code: UInt16 {
        switch self {
        case .other: 0
        case .notAllowed: 1
        case .nothingPlays: 2
        case .queueIsEmpty: 3
        case .noSuchItem: 4
        case .noSuchListener: 5
        case .outOfRange: 6
        case .liveCannotSeek: 7
        case .queueIsFull: 8
        case .unknownOperation: 9
        case .tooManyCommands: 10
        case .unplayable: 11
        case .noRoom: 12
        case .cannotSeek: 13
        case .listenerRecords: 14
        case .songTooLong: 15
        case .tooManySongs: 16
        case .onlyItself: 17
        }
    }

    private static let simple: [CommandRefusal] = [
        .notAllowed, .nothingPlays, .queueIsEmpty, .noSuchItem, .outOfRange, .liveCannotSeek, .queueIsFull,
        .unknownOperation, .tooManyCommands, .unplayable, .noRoom, .cannotSeek, .listenerRecords, .songTooLong,
        .tooManySongs, .onlyItself,
    ]

    func write(to buffer: inout ByteBuffer) {
        var nearest: String?
        if case .noSuchListener(let name) = self { nearest = name }
        buffer.writeInteger(code)
        buffer.writeText(nearest ?? "", limit: WireLimits.peerNameByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let code = buffer.readInteger(as: UInt16.self),
            let nearest = buffer.readText(limit: WireLimits.peerNameByteCount)
        else { return nil }
        if code == CommandRefusal.noSuchListener(nearest: nil).code {
            self = .noSuchListener(nearest: nearest.isEmpty ? nil : nearest)
        } else {
            self = Self.simple.first { $0.code == code } ?? .other
        }
    }
}
