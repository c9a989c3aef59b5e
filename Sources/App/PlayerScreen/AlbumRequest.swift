import WireProtocol

/// Where songs go in the queue.
enum Placement: Hashable, Sendable {
    /// Behind all others.
    case last
    /// Behind the one that plays.
    case next
    /// There, and they are played at once.
    case now
}

/// The songs of an album are asked for, to put them into the queue.
public struct AlbumRequest: Hashable, Sendable {
    /// Its ``Album/id``.
    public let album: Int64
    let placement: Placement
    /// No two requests have the same.
    let number: Int
}

/// Which albums' songs are still asked for.
struct AlbumRequests: Sendable {
    private var waiting: [AlbumRequest] = []
    private var count = 0

    /// The most that wait at once; the oldest is forgotten for one more.
    static let limit = 16

    mutating func ask(_ album: Int64, _ placement: Placement) -> AlbumRequest {
        // Only the last one that is to play at once does.
        if placement == .now { forgetNow() }
        if waiting.count >= Self.limit { waiting.removeFirst() }
        count += 1
        let request = AlbumRequest(album: album, placement: placement, number: count)
        waiting.append(request)
        return request
    }

    /// - Returns: whether it is still to be done.
    mutating func take(_ request: AlbumRequest) -> Bool {
        guard let index = waiting.firstIndex(of: request) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Forgets what no longer fits, since the user asks for this meanwhile.
    mutating func note(_ operation: ProgrammeOperation) {
        switch operation {
        case .clear: forgetAll()
        case .jump, .next, .previous, .play, .pause, .resume, .toggle, .stop: forgetNow()
        case .seek, .skip, .add, .insert, .remove, .move, .setRepeat, .setShuffle: break
        }
    }

    mutating func forgetAll() { waiting = [] }

    /// Forgets what was to be played at once.
    mutating func forgetNow() { waiting.removeAll { $0.placement == .now } }
}
