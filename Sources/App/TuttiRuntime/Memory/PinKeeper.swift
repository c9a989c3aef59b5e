import NIOCore
import Peering

/// Which names belong to which keys, as one running session knows it: what was stored, and whom it met since.
///
/// Writes once a second at most: strangers can come with ever new names. What the user forgets in another process is
/// looked for only once somebody was refused. A failure is told once. Confined to its event loop.
final class PinKeeper {
    private let store: (any PinStore)?
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    private(set) var pins = PinnedNames()
    /// Takes the pins whenever they change.
    var onChange: (PinnedNames) -> Void = { _ in }

    /// Met, and not stored yet.
    private var unwritten: [MetPeer] = []
    private var nextWrite: Scheduled<Void>?
    private let work: WorkQueue
    private var watch: RepeatedTask?
    private var hasComplained = false

    /// Between two writes, and between two looks at what is stored.
    private static let interval = TimeAmount.seconds(1)

    /// - Parameter store: nil for what lasts no longer than this process.
    init(store: (any PinStore)?, loop: any EventLoop, emit: @escaping @Sendable (RuntimeEvent) -> Void) {
        self.store = store
        self.loop = loop
        self.emit = emit
        work = WorkQueue(loop: loop)
    }

    /// Loads what is stored, at the start.
    func load() {
        guard let store else { return }
        take(Result { () throws(MemoryFailure) in try store.load() })
    }

    /// Pins the name of a peer that takes part.
    func note(_ peer: MetPeer) {
        guard pins.note(peer, at: WallClock.seconds()) else { return }
        onChange(pins)
        guard store != nil, unwritten.count < PinnedNames.capacity else { return }
        unwritten.append(peer)
        guard nextWrite == nil else { return }
        nextWrite = loop.scheduleTask(in: Self.interval) { [weak self] in self?.write() }
    }

    /// Looks from now on whether the user forgets a name.
    func watchStore() {
        guard let store, watch == nil else { return }
        watch = loop.scheduleRepeatedAsyncTask(initialDelay: .zero, delay: Self.interval) { [weak self, loop] _ in
            // The first look may come although it was cancelled meanwhile.
            guard let self, self.watch != nil else { return loop.makeSucceededVoidFuture() }
            return self.perform { () throws(MemoryFailure) in try store.load() }
        }
    }

    /// Writes what is not stored yet, and ends; completes when nothing is left to do.
    func close() -> EventLoopFuture<Void> {
        watch?.cancel()
        watch = nil
        write()
        return work.finish()
    }

    private func write() {
        nextWrite?.cancel()
        nextWrite = nil
        guard let store, !unwritten.isEmpty else { return }
        let (peers, time) = (unwritten, WallClock.seconds())
        unwritten = []
        perform { () throws(MemoryFailure) in try store.note(peers, at: time) }
    }

    /// Asks the store, and takes its answer.
    @discardableResult
    private func perform(
        _ ask: @escaping @Sendable () throws(MemoryFailure) -> PinnedNames
    ) -> EventLoopFuture<Void> {
        work.perform(ask) { self.take($0) }
    }

    private func take(_ result: Result<PinnedNames, MemoryFailure>) {
        switch result {
        case .success(var stored):
            let time = WallClock.seconds()
            for peer in unwritten { stored.note(peer, at: time) }
            guard stored != pins else { return }
            pins = stored
            onChange(pins)
        case .failure(let failure):
            guard !hasComplained else { return }
            hasComplained = true
            emit(.notice(.memory(.pins(failure))))
        }
    }
}

// Confined to its event loop.
extension PinKeeper: @unchecked Sendable {}
