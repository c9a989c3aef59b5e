import AudioCore
import NIOCore
import NIOPosix
import WireProtocol

/// Answers lookups part by part, and keeps what was found for a while: whoever asks for a part asks for the next one,
/// and others for the same song.
///
/// What reads a whole song, or music folders, has a thread of its own: nobody waits for it who asks for less. Confined
/// to its event loop.
final class LookupResponder {
    /// What is looked up: items of the same path are not taken for each other, as what is at a path may change.
    private struct Subject: Hashable {
        var asked: LookupSubject
        var lookup: MusicLookup
    }

    private struct Kept {
        var subject: Subject
        var result: MusicLookupResult
        var since: HostTime
    }

    private struct Asker {
        var lookup: Lookup
        var completion: (Finding) -> Void
    }

    fileprivate enum Lane: CaseIterable, Hashable {
        case details, levels, songs

        /// Lookups that wait or are worked on.
        var limit: Int {
            switch self {
            case .details: 16
            case .levels, .songs: 4
            }
        }
    }

    private let lookups: (any MusicLookups)?
    private let loop: any EventLoop
    /// What was used last comes last.
    private var kept: [Kept] = []
    private var asking: [Subject: [Asker]] = [:]
    private var threads: (pool: NIOThreadPool, queues: [Lane: WorkQueue])?
    private var cleaning: Scheduled<Void>?

    private static let keptCount = 6
    private static let keptTime = TimeSpan.seconds(60)
    private static let askerLimit = 64
    /// How long the end waits for what goes on. A disk may hold it up.
    private static let patience = TimeAmount.seconds(1)

    /// - Parameter lookups: nil if nothing is to be found here.
    init(_ lookups: (any MusicLookups)?, loop: any EventLoop) {
        self.lookups = lookups
        self.loop = loop
    }

    /// Answers a lookup, at once or later.
    /// - Parameters:
    ///   - wanted: what it is on this machine; nil if there is no such thing.
    ///   - completion: called on the event loop, unless the responder has stopped.
    func answer(_ lookup: Lookup, _ wanted: MusicLookup?, _ completion: @escaping (Finding) -> Void) {
        guard let wanted, lookups != nil else { return completion(lookup.nothing("")) }
        let subject = Subject(asked: lookup.subject, lookup: wanted)
        if let result = known(subject) { return completion(lookup.part(of: result)) }
        let askers = asking[subject] ?? []
        let hasRoom = askers.isEmpty ? hasRoom(in: wanted.lane) : askers.count < Self.askerLimit
        guard hasRoom else { return completion(lookup.nothing(LookupRefusal.tooMany)) }
        asking[subject] = askers + [Asker(lookup: lookup, completion: completion)]
        if askers.isEmpty { find(subject) }
    }

    private func hasRoom(in lane: Lane) -> Bool { asking.keys.count { $0.lookup.lane == lane } < lane.limit }

    private func known(_ subject: Subject) -> MusicLookupResult? {
        let now = HostTime.now()
        guard let index = kept.firstIndex(where: { $0.subject == subject && now - $0.since < Self.keptTime }) else {
            return nil
        }
        kept.append(kept.remove(at: index))
        return kept.last?.result
    }

    private func find(_ subject: Subject) {
        guard let lookups, let queue = startedQueues()[subject.lookup.lane] else { return }
        queue.perform({ lookups.find(subject.lookup) }) { [weak self] result in
            if case .success(let result) = result { self?.take(result.bounded, of: subject) }
        }
    }

    private func startedQueues() -> [Lane: WorkQueue] {
        if let threads { return threads.queues }
        let pool = NIOThreadPool(numberOfThreads: Lane.allCases.count)
        pool.start()
        let queues = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, WorkQueue(loop: loop, pool: pool)) })
        threads = (pool, queues)
        return queues
    }

    private func take(_ result: MusicLookupResult, of subject: Subject) {
        // What went wrong may go well the next time.
        if result.isLasting {
            kept.removeAll { $0.subject == subject }
            kept = kept.suffix(Self.keptCount - 1) + [Kept(subject: subject, result: result, since: .now())]
            cleanLater()
        }
        for asker in asking.removeValue(forKey: subject) ?? [] { asker.completion(asker.lookup.part(of: result)) }
    }

    /// Songs change, and nobody pays for memory that is not used.
    private func cleanLater() {
        guard cleaning == nil else { return }
        cleaning = loop.scheduleTask(in: .nanoseconds(Self.keptTime.nanoseconds)) { [weak self] in self?.clean() }
    }

    private func clean() {
        cleaning = nil
        let now = HostTime.now()
        kept.removeAll { now - $0.since >= Self.keptTime }
        if !kept.isEmpty { cleanLater() }
    }

    /// Ends what goes on; nothing is answered any more.
    func shutDown() -> EventLoopFuture<Void> {
        cleaning?.cancel()
        asking = [:]
        lookups?.stop()
        guard let (pool, queues) = threads else { return loop.makeSucceededVoidFuture() }
        threads = nil
        let ended = loop.makePromise(of: Void.self)
        let deadline = loop.scheduleTask(in: Self.patience) { ended.succeed() }
        EventLoopFuture.andAllComplete(queues.values.map { $0.finish() }, on: loop).whenComplete { _ in
            deadline.cancel()
            pool.end { ended.succeed() }
        }
        return ended.futureResult
    }
}

// Confined to its event loop.
extension LookupResponder: @unchecked Sendable {}

extension MusicLookup {
    fileprivate var lane: LookupResponder.Lane {
        switch self {
        case .lyrics, .artwork: .details
        case .levels: .levels
        case .songs, .findings: .songs
        }
    }
}

extension MusicLookupResult {
    /// Whether the next one who asks is to be told the same.
    fileprivate var isLasting: Bool {
        switch self {
        case .found: true
        case .nothing(let reason): reason.isEmpty
        }
    }

    fileprivate var bounded: MusicLookupResult {
        guard case .found(let bytes) = self, bytes.count > WireLimits.findingByteCount else { return self }
        return .nothing(reason: "it is too large to be sent")
    }
}

extension MusicLookup {
    /// Nil where there is nothing to be looked up.
    /// - Parameter path: the file of the item that is asked about, if it is one of this machine.
    init?(_ subject: LookupSubject, ofSong path: String?) {
        switch (subject, path) {
        case (.lyrics, let path?): self = .lyrics(ofSong: path)
        case (.artwork, let path?): self = .artwork(ofSong: path)
        case (.levels, let path?): self = .levels(ofSong: path)
        case (.songs(let query, let limit), _):
            self = .songs(query: query, limit: min(max(1, limit), WireLimits.foundSongCount))
        case (.findings, _): self = .findings
        case (.lyrics, nil), (.artwork, nil), (.levels, nil), (.unknown, _): return nil
        }
    }
}

extension Lookup {
    fileprivate func nothing(_ reason: String) -> Finding { Finding(id: id, .nothing(reason: reason)) }

    fileprivate func part(of result: MusicLookupResult) -> Finding {
        switch result {
        case .nothing(let reason): return nothing(reason)
        case .found(let bytes):
            guard offset < bytes.count || offset == 0 else { return nothing("it changed while it was sent") }
            let part = bytes[offset...].prefix(WireLimits.findingPartByteCount)
            return Finding(id: id, .part(ofByteCount: bytes.count, offset: offset, bytes: ByteBuffer(bytes: part)))
        }
    }
}
