import AudioCore
import Controlling
import WireProtocol

/// A broadcast as its follower knows it: its state, and the items of its queue.
struct FollowedBroadcast: Sendable {
    let name: String
    private(set) var state: ProgrammeState
    /// As they were when all pages had come.
    private(set) var items: [QueueItem] = []
    /// A moment of the broadcaster's clock, and when that was here.
    private var clock: (session: SessionTime, host: HostTime)
    private var pages = Pages.lacking

    /// What is known of the queue.
    private enum Pages {
        /// To be asked for.
        case lacking
        /// Asked for, and what came; `isOld`: the queue was changed meanwhile.
        case asked([QueueItem], isOld: Bool)
        case known
    }

    init(name: String, state: ProgrammeState, now: HostTime) {
        self.name = name
        self.state = state
        clock = (state.sent, now)
    }

    /// Takes a state, and the change that led to it.
    mutating func take(_ state: ProgrammeState, _ change: ProgrammeChange?, _ now: HostTime) {
        self.state = state
        guard let change else {
            clock = (state.sent, now)
            return forgetQueue()
        }
        switch change.kind {
        case .queue(let edit, _): apply(edit)
        case .item(let item): replace(item)
        case .status, .modes, .volume, .listener, .listenerGone, .command, .unknown: break
        }
    }

    private mutating func apply(_ edit: QueueEdit) {
        guard case .known = pages else { return forgetQueue() }
        switch edit {
        case .removed(let position) where items.indices.contains(position): items.remove(at: position)
        case .moved(let from, let to) where items.indices.contains(from) && items.indices.contains(to):
            items.insert(items.remove(at: from), at: to)
        case .cleared: items = []
        // What was inserted is known to the broadcaster alone.
        case .inserted, .removed, .moved: forgetQueue()
        }
    }

    /// Takes what became known of an item, which may stand on a page that has come while others have not.
    private mutating func replace(_ item: QueueItem) {
        if let index = items.firstIndex(where: { $0.id == item.id }) { items[index] = item }
        guard case .asked(var found, let isOld) = pages, let index = found.firstIndex(where: { $0.id == item.id })
        else { return }
        found[index] = item
        pages = .asked(found, isOld: isOld)
    }

    private mutating func forgetQueue() {
        if case .asked(let items, _) = pages { pages = .asked(items, isOld: true) } else { pages = .lacking }
    }

    /// Asks for the queue again where it did not come.
    mutating func noteFailure() { if case .asked = pages { pages = .lacking } }

    /// Whether the queue is to be asked for now.
    mutating func takeQueueRequest() -> Bool {
        guard case .lacking = pages else { return false }
        pages = .asked([], isOld: false)
        return true
    }

    mutating func take(_ page: QueuePage) {
        guard case .asked(let former, let isOld) = pages else { return }
        let found = (page.first == 0 ? [] : former) + page.items
        guard page.first + page.items.count >= page.itemCount || page.items.isEmpty else {
            return pages = .asked(found, isOld: isOld)
        }
        // All at once: whoever has selected one of them keeps it.
        items = found
        pages = isOld ? .lacking : .known
    }

    /// Where the current item stands; nil where none does.
    var currentIndex: Int? { state.status.current.flatMap { item in items.firstIndex { $0.id == item.id } } }

    /// How far into the item that plays this is; nil while nothing does.
    func elapsed(_ now: HostTime) -> TimeSpan? {
        let session = clock.session + (now - clock.host)
        return state.status.position.map { position in
            let time = max(.zero, position.time(at: session))
            return state.status.current?.duration.map { min($0, time) } ?? time
        }
    }

    /// Whether what is shown changes by itself.
    var isMoving: Bool { state.status.transport == .playing && state.status.position != nil }
}
