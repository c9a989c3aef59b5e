import AudioCore
import WireProtocol

/// What a broadcast plays: a queue of items, a place in it, and the order in which they follow one another.
///
/// A value that reads no clock and opens nothing. Commands come by ``apply(_:at:)``, the end of an item by
/// ``advance()`` and ``advance(to:)``, one that cannot be played by ``fail(_:)``. Each says what it means for the
/// sound. ``following`` is the item that plays after the current one, so that it can be sent ahead; after anything
/// above it may be another.
///
/// What operations mean:
/// - `play` and `toggle` begin with the current item, or with the first if there is none.
/// - `next`, `previous` and `jump` play at once if something plays or is paused. While it is stopped, `next` and
///   `previous` only move the place; `jump` plays.
/// - `next` after the last item ends the programme, which is idle then; unless items are repeated, one or all: then the
///   first follows. `previous` at the first item starts it again.
/// - `previous` after ``ProgrammeLimits/restartTime`` starts the item again, except a live one.
/// - `stop` keeps the queue and the place. The end of the last item keeps the queue only.
/// - Removing the current item acts as `next`, but starts no sound: a paused programme is stopped then.
/// - A seek past the end acts in the same way. One before the beginning goes to the beginning.
/// - Items that are added do not begin to play.
/// - An item that failed is passed over until somebody jumps to it, or the idle programme is played again.
///
/// Shuffling puts the items into a random order, the current one first, and keeps it until shuffling ends. `previous`
/// goes back in it. An item that is jumped to is moved behind the current one, so that `previous` leads back; added
/// ones get random places among those still to come.
///
/// Every operation takes time in proportion to the number of items, at most ``ProgrammeLimits/itemCount``.
public struct Programme: Sendable {
    private enum Phase: Hashable {
        case idle
        case playing(ItemID)
        case paused(ItemID)
        case stopped(ItemID)
    }

    private var phase = Phase.idle
    public private(set) var modes = PlayModes()
    /// The items, as the queue shows them.
    private var queue: [ItemID] = []
    /// The same items in the order in which they play. Nil if that is the queue's.
    private var shuffled: [ItemID]?
    private var details: [ItemID: NewItem] = [:]
    private var failed: Set<ItemID> = []
    private var undescribed = DescriptionOrder()
    private var lastID: UInt32 = 0
    private var generator: SplitMix64

    /// - Parameter seed: of the shuffled orders.
    public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    // MARK: State

    public var transport: TransportState {
        switch phase {
        case .idle: .idle
        case .playing: .playing
        case .paused: .paused
        case .stopped: .stopped
        }
    }

    /// Nil while idle.
    public var current: ItemID? {
        switch phase {
        case .idle: nil
        case .playing(let id), .paused(let id), .stopped(let id): id
        }
    }

    /// What plays after the current item, if nothing is commanded; nil if the programme ends then.
    public private(set) var following: ItemID?

    /// Finds what follows by the present state; due after every change.
    private mutating func findFollowing() {
        undescribed.noteChange()
        following = current.flatMap { current in
            modes.repeats == .one && !failed.contains(current) ? current : successor(of: current)
        }
    }

    public var itemCount: Int { queue.count }

    /// The order in which the items play.
    package var playOrder: [ItemID] { shuffled ?? queue }

    /// Returns where the broadcaster gets an item; nil if it is not in the queue.
    public func location(of id: ItemID) -> ItemLocation? { details[id]?.location }

    /// Whether an item comes from there.
    public func contains(_ location: ItemLocation) -> Bool { details.values.contains { $0.location == location } }

    /// Returns an item as it is shown; nil if it is not in the queue.
    public func item(_ id: ItemID) -> QueueItem? {
        details[id].map {
            QueueItem(
                id: id, title: $0.title, artist: $0.artist, album: $0.album, duration: $0.duration, isLive: $0.isLive,
                hasFailed: failed.contains(id), hasPicture: $0.hasPicture)
        }
    }

    /// Returns where an item stands in the queue.
    public func position(of id: ItemID) -> Int? { details[id].flatMap { _ in queue.firstIndex(of: id) } }

    /// Returns items of the queue: none beyond its end, and at most ``WireLimits/itemsPerPage``.
    public func page(_ request: QueuePageRequest, sequence: UInt64) -> QueuePage {
        let first = min(max(request.first, 0), queue.count)
        let count = min(max(request.count, 0), WireLimits.itemsPerPage)
        return QueuePage(
            sequence: sequence, itemCount: queue.count, first: first,
            items: queue[first...].prefix(count).compactMap(item))
    }

    // MARK: What happens to the items

    /// Ends the current item: what follows is the current one now.
    /// - Returns: what plays now; nil if the programme is over, or did not play.
    public mutating func advance() -> ItemID? {
        guard case .playing = phase else { return nil }
        defer { findFollowing() }
        phase = following.map { .playing($0) } ?? .idle
        return current
    }

    /// Goes on to an item that was to follow the current one, paused or not.
    public mutating func advance(to id: ItemID) {
        guard details[id] != nil else { return }
        switch phase {
        case .playing: phase = .playing(id)
        case .paused: phase = .paused(id)
        case .idle, .stopped: return
        }
        findFollowing()
    }

    /// Makes an item the current one again, as its replacement cannot be played.
    /// - Parameter former: what was before that: silence stays.
    /// - Returns: false if it is not in the queue, or nothing plays.
    public mutating func goBack(to id: ItemID, _ former: TransportState) -> Bool {
        guard details[id] != nil, transport == .playing || transport == .idle else { return false }
        phase =
            switch former {
            case .idle, .playing: .playing(id)
            case .paused: .paused(id)
            case .stopped: .stopped(id)
            }
        findFollowing()
        return true
    }

    /// Acts on a seek that turned out to go past the end of the current item: as `next`. What was paused is stopped.
    public mutating func passEnd(of id: ItemID) -> ProgrammeEffect {
        guard id == current else { return .none }
        defer { findFollowing() }
        return leave(for: successor(of: id))
    }

    /// Takes note that an item cannot be played. The current one is passed over.
    public mutating func fail(_ id: ItemID) -> ProgrammeEffect {
        guard details[id] != nil else { return .none }
        defer { findFollowing() }
        failed.insert(id)
        undescribed.remove(id)
        guard id == current else { return .none }
        return leave(for: successor(of: id))
    }

    // MARK: What becomes known of them

    /// Takes note of whether an item that was opened is live.
    public mutating func note(isLive: Bool, of id: ItemID) { details[id]?.isLive = isLive }

    /// Takes note of what an item says of itself that was opened. Whether it has a picture is still asked.
    /// - Parameter isPart: whether other songs follow in the item's source, so that an estimate was of all of them.
    public mutating func note(_ description: ItemDescription, ofOpened id: ItemID, isPart: Bool = false) {
        details[id]?.noteOpened(description)
        if isPart, description.duration == nil, details[id]?.isDurationEstimated == true { details[id]?.note(nil) }
    }

    /// Takes note of what an item says of itself that was looked at; of one that was opened meanwhile, whether it has a
    /// picture.
    public mutating func note(_ description: ItemDescription, of id: ItemID) {
        if !failed.contains(id) { details[id]?.note(description) }
    }

    /// Returns the item that is to be asked next what it says of itself: of those that were not asked, and have not
    /// failed, the one that plays first. What others named on the web is not asked.
    public mutating func takeUndescribed() -> (item: ItemID, location: ItemLocation)? {
        undescribed.takeFirst(playOrder, current: current).flatMap { id in location(of: id).map { (id, $0) } }
    }

    // MARK: Insertion

    /// Inserts items before the one at `position`, or at the end: all, or none if the queue has no room for them.
    public mutating func insert(_ items: [NewItem], at position: Int) throws(CommandRefusal) -> QueueEdit {
        guard (0...queue.count).contains(position) else { throw .outOfRange }
        guard items.count <= ProgrammeLimits.itemCount - queue.count else { throw .queueIsFull }
        let ids = items.map { item in
            // After 2^32 items the numbers begin anew; those of items that are still there are passed over.
            repeat { lastID &+= 1 } while details[ItemID(lastID)] != nil
            details[ItemID(lastID)] = item
            return ItemID(lastID)
        }
        defer { findFollowing() }
        undescribed.insert(ids.filter { details[$0]?.location.isWeb == false })
        queue.insert(contentsOf: ids, at: position)
        shuffleIn(ids)
        return .inserted(at: position, count: ids.count)
    }

    /// Puts items in the place of one that turned out to be a list of them. Like any item it is passed over if they
    /// have no room.
    /// - Returns: what that means for the sound if it was the current item, of which nothing was heard.
    public mutating func replace(_ id: ItemID, with items: [NewItem]) -> ProgrammeEffect {
        guard let position = queue.firstIndex(of: id), !items.isEmpty else { return fail(id) }
        defer { findFollowing() }
        let edit: QueueEdit
        do throws(CommandRefusal) { edit = try insert(items, at: position + 1) } catch { return fail(id) }
        guard case .inserted(let first, let count) = edit else { return .none }
        let ids = queue[first..<first + count]
        if var order = shuffled {
            order.removeAll { ids.contains($0) }
            if let place = order.firstIndex(of: id) { order.insert(contentsOf: ids, at: place + 1) }
            shuffled = order
        }
        let effect = id == current ? leave(for: ids.first) : .none
        forget(id, at: position)
        return effect
    }

    private mutating func forget(_ id: ItemID, at position: Int) {
        queue.remove(at: position)
        shuffled?.removeAll { $0 == id }
        details[id] = nil
        failed.remove(id)
        undescribed.remove(id)
    }

    // MARK: Commands

    /// Does what a command asks for, or refuses it and changes nothing.
    /// - Parameters:
    ///   - elapsed: how far into the current item the command takes effect.
    ///   - isOwn: whether the broadcaster's own user gave it.
    public mutating func apply(
        _ operation: ProgrammeOperation, at elapsed: TimeSpan = .zero, isOwn: Bool = false
    ) throws(CommandRefusal) -> ProgrammeResult {
        defer { findFollowing() }
        switch operation {
        case .play: return ProgrammeResult(try play())
        case .pause: return ProgrammeResult(try pause())
        case .resume: return ProgrammeResult(try resume())
        case .toggle: return ProgrammeResult(try toggle())
        case .stop: return ProgrammeResult(stop())
        case .next: return ProgrammeResult(try next())
        case .previous: return ProgrammeResult(try previous(at: elapsed))
        case .seek(to: let time):
            guard time >= .zero else { throw .outOfRange }
            return try seek(to: time)
        case .skip(by: let span): return try seek(to: elapsed.advanced(by: span))
        case .jump(let item): return ProgrammeResult(try jump(to: item))
        case .add(let sources):
            return ProgrammeResult(.none, edit: try insert(sources.map { NewItem($0, isOwn: isOwn) }, at: queue.count))
        case .insert(let sources, let position):
            return ProgrammeResult(.none, edit: try insert(sources.map { NewItem($0, isOwn: isOwn) }, at: position))
        case .remove(let item): return try remove(item)
        case .move(let item, let position): return try move(item, to: position)
        case .clear: return clear()
        case .setRepeat(let mode): modes.repeats = mode
        case .setShuffle(let isOn): setShuffle(isOn)
        }
        return ProgrammeResult(.none)
    }

    private mutating func play() throws(CommandRefusal) -> ProgrammeEffect {
        switch phase {
        case .idle:
            guard let first = playOrder.first else { throw .queueIsEmpty }
            failed.removeAll()
            return start(first)
        case .stopped(let id): return start(id)
        case .paused, .playing: return try resume()
        }
    }

    private mutating func pause() throws(CommandRefusal) -> ProgrammeEffect {
        switch phase {
        case .idle, .stopped: throw .nothingPlays
        case .paused: return .none
        case .playing(let id):
            phase = .paused(id)
            return .pause
        }
    }

    private mutating func resume() throws(CommandRefusal) -> ProgrammeEffect {
        switch phase {
        case .idle, .stopped: throw .nothingPlays
        case .playing: return .none
        case .paused(let id):
            phase = .playing(id)
            return isLive(id) ? .rejoin : .resume
        }
    }

    private mutating func toggle() throws(CommandRefusal) -> ProgrammeEffect {
        if case .playing = phase { return try pause() }
        return try play()
    }

    private mutating func stop() -> ProgrammeEffect {
        switch phase {
        case .idle, .stopped: return .none
        case .playing(let id), .paused(let id):
            phase = .stopped(id)
            return .stop
        }
    }

    private mutating func next() throws(CommandRefusal) -> ProgrammeEffect {
        let id = try currentItem()
        let successor = successor(of: id)
        if case .paused = phase, let successor { return start(successor) }
        return leave(for: successor)
    }

    private mutating func previous(at elapsed: TimeSpan) throws(CommandRefusal) -> ProgrammeEffect {
        let id = try currentItem()
        if case .stopped = phase {
            phase = .stopped(predecessor(of: id) ?? id)
            return .none
        }
        if elapsed <= ProgrammeLimits.restartTime || isLive(id), let predecessor = predecessor(of: id) {
            return start(predecessor)
        }
        guard case .playing = phase, !isLive(id) else { return start(id) }
        return .seek(to: .zero)
    }

    private mutating func seek(to time: TimeSpan) throws(CommandRefusal) -> ProgrammeResult {
        guard transport == .playing || transport == .paused, let current else { throw .nothingPlays }
        guard !isLive(current) else { throw .liveCannotSeek }
        guard let duration = details[current]?.exactDuration, time >= duration else {
            return ProgrammeResult(.seek(to: max(time, .zero)))
        }
        return ProgrammeResult(leave(for: successor(of: current)), isPastTheEnd: true)
    }

    private mutating func jump(to item: ItemReference) throws(CommandRefusal) -> ProgrammeEffect {
        let id = queue[try position(of: item)]
        if current != id, var order = shuffled {
            order.removeAll { $0 == id }
            order.insert(id, at: current.flatMap(order.firstIndex).map { $0 + 1 } ?? 0)
            shuffled = order
        }
        return start(id)
    }

    private mutating func remove(_ item: ItemReference) throws(CommandRefusal) -> ProgrammeResult {
        let position = try position(of: item)
        let id = queue[position]
        let successor = successor(of: id)
        let effect = id == current ? leave(for: successor == id ? nil : successor) : .none
        forget(id, at: position)
        return ProgrammeResult(effect, edit: .removed(at: position))
    }

    private mutating func move(_ item: ItemReference, to target: Int) throws(CommandRefusal) -> ProgrammeResult {
        let position = try position(of: item)
        guard queue.indices.contains(target) else { throw .outOfRange }
        queue.insert(queue.remove(at: position), at: target)
        return ProgrammeResult(.none, edit: .moved(from: position, to: target))
    }

    private mutating func clear() -> ProgrammeResult {
        let effect = stop()
        phase = .idle
        queue = []
        details = [:]
        failed = []
        undescribed.removeAll()
        if shuffled != nil { shuffled = [] }
        return ProgrammeResult(effect, edit: .cleared)
    }

    // MARK: Order

    private mutating func setShuffle(_ isOn: Bool) {
        guard isOn != modes.isShuffled else { return }
        modes.isShuffled = isOn
        guard isOn else {
            shuffled = nil
            return
        }
        let first = current.map { [$0] } ?? []
        shuffled = first + queue.filter { $0 != current }.shuffled(using: &generator)
    }

    /// Gives new items random places among those that are still to come, which keep their order.
    private mutating func shuffleIn(_ ids: [ItemID]) {
        guard let order = shuffled else { return }
        let passed = current.flatMap(order.firstIndex).map { $0 + 1 } ?? 0
        var coming = order[passed...]
        var added = ids.shuffled(using: &generator)[...]
        var merged = Array(order[..<passed])
        merged.reserveCapacity(order.count + ids.count)
        while !coming.isEmpty || !added.isEmpty {
            let draw = Int.random(in: 0..<coming.count + added.count, using: &generator)
            merged.append(draw < added.count ? added.removeFirst() : coming.removeFirst())
        }
        shuffled = merged
    }

    /// Returns the next item that has not failed; from the order's beginning if items are repeated.
    private func successor(of id: ItemID) -> ItemID? {
        let order = playOrder
        guard let index = order.firstIndex(of: id) else { return nil }
        let rest = order[(index + 1)...]
        if let next = rest.first(where: { !failed.contains($0) }) { return next }
        return modes.repeats == .off ? nil : order[...index].first { !failed.contains($0) }
    }

    private func predecessor(of id: ItemID) -> ItemID? {
        let order = playOrder
        guard let index = order.firstIndex(of: id) else { return nil }
        if let previous = order[..<index].last(where: { !failed.contains($0) }) { return previous }
        return modes.repeats == .off ? nil : order[(index + 1)...].last { !failed.contains($0) }
    }

    // MARK: Place

    /// Plays an item from its start, also one that failed.
    private mutating func start(_ id: ItemID) -> ProgrammeEffect {
        failed.remove(id)
        phase = .playing(id)
        return .play(id)
    }

    /// Goes from the current item to the successor, and starts no sound: what was paused is stopped then.
    private mutating func leave(for successor: ItemID?) -> ProgrammeEffect {
        switch phase {
        case .idle: return .none
        case .playing:
            phase = successor.map { .playing($0) } ?? .idle
            return successor.map { .play($0) } ?? .stop
        case .paused:
            phase = successor.map { .stopped($0) } ?? .idle
            return .stop
        case .stopped:
            phase = successor.map { .stopped($0) } ?? .idle
            return .none
        }
    }

    private func currentItem() throws(CommandRefusal) -> ItemID {
        guard let current else { throw queue.isEmpty ? .queueIsEmpty : .nothingPlays }
        return current
    }

    private func position(of item: ItemReference) throws(CommandRefusal) -> Int {
        let position =
            switch item {
            case .id(let id): self.position(of: id)
            case .position(let position): queue.indices.contains(position) ? position : nil
            }
        guard let position else { throw .noSuchItem }
        return position
    }

    private func isLive(_ id: ItemID) -> Bool { details[id]?.isLive ?? false }
}

extension TimeSpan {
    /// Returns the sum; the longest span if it overflows.
    fileprivate func advanced(by span: TimeSpan) -> TimeSpan {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span.nanoseconds)
        return overflows ? TimeSpan(nanoseconds: span < .zero ? .min : .max) : TimeSpan(nanoseconds: sum)
    }
}
