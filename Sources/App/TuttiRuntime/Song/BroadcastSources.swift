import AudioCore
import Broadcasting
import NIOCore
import Programmes
import Songs

/// The sources of a broadcast's songs, by their epochs.
///
/// Confined to its event loop, on which it reports.
final class BroadcastSources {
    private enum Source {
        /// - Parameter isRaw: whether it has no header, and its format was stated.
        case song(SongReader, isRaw: Bool)
        case capture(CaptureSource)
    }

    private let options: BroadcastOptions
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    /// What the broadcast began with, and what lists of that name: the stated format and the capture are meant for
    /// these alone. Songs that are added say themselves what they are.
    private var initial: Set<ItemLocation>
    private var sources: [Epoch: Source] = [:]
    /// Epochs whose sources go on for others: what comes of them may be on its way.
    private var successors: [Epoch: Epoch] = [:]
    /// Why songs could not be opened, or read to their end.
    private var failures: [Epoch: RuntimeFailure] = [:]
    /// The newest of them.
    private(set) var lastFailure: RuntimeFailure?
    /// Called for what a song's source reports.
    var handler: (Epoch, SourceEvent) -> Void = { _, _ in }
    /// Returns where a song is kept that somebody sent; nil if it is not any more.
    var pathOfSentSong: (SentSongID) -> String? = { _ in nil }

    /// - Parameter items: what the broadcast begins with.
    init(
        _ options: BroadcastOptions, items: [NewItem], loop: any EventLoop,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.options = options
        initial = Set(items.map(\.location))
        self.loop = loop
        self.emit = emit
    }

    /// Returns why the song of an epoch could not be played, or not to its end.
    func failure(of epoch: Epoch) -> RuntimeFailure? { failures[epoch] }

    /// Throws what is wrong with the only song, as far as its name tells: there is nothing to broadcast then.
    func check(_ items: [NewItem]) throws(RuntimeFailure) {
        guard items.count == 1, options.capture == nil, case .local(let name) = items[0].location else { return }
        do throws(SongFailure) {
            guard case .file(let path) = try SongAddress(name), !SongSource.isPipe(path) else { return }
            _ = try SongFile(path: path)
        } catch {
            throw RuntimeFailure(error)
        }
    }

    /// Returns the path of an item that is a file of this machine; nil for others.
    func path(of item: ItemLocation) -> String? {
        switch item {
        case .web: return nil
        case .sent(let song): return pathOfSentSong(song)
        case .local(let name): return SongSource.path(ofFile: name)
        }
    }

    /// Returns the path of an item that may be a song's file on this machine, without asking a disk. Nil for addresses,
    /// standard input, a capture, and samples without a header, which say nothing of themselves.
    func pathToDescribe(_ item: ItemLocation) -> String? {
        switch item {
        case .web: return nil
        case .sent(let song): return pathOfSentSong(song)
        case .local(let name):
            if initial.contains(item), options.capture != nil || options.raw != nil { return nil }
            guard case .file(let path)? = try? SongAddress(name) else { return nil }
            return path
        }
    }

    /// Opens a song. A failure is reported as any other: later.
    func open(_ request: SourceRequest) {
        let epoch = request.epoch
        do throws(RuntimeFailure) {
            switch request.origin {
            case .sameSource(let former):
                guard case .song(let reader, let isRaw)? = sources.removeValue(forKey: former) else {
                    return loop.execute { self.handler(epoch, .failed("its source was closed", .nothing)) }
                }
                sources[epoch] = .song(reader, isRaw: isRaw)
                reader.beginNext(receiver(of: epoch))
            case .sameSong(let former):
                // If it was read to its end, its reader may already serve the next song.
                guard let source = sources.removeValue(forKey: former) else { return }
                sources[epoch] = source
                for (opened, holder) in successors where holder == former { successors[opened] = epoch }
                successors[former] = epoch
            case .location(let location): sources[epoch] = try open(location, request)
            }
        } catch {
            note(error, of: epoch)
            loop.execute { self.handler(epoch, .failed("\(error.reason)", .nothing)) }
        }
    }

    private func open(_ location: ItemLocation, _ request: SourceRequest) throws(RuntimeFailure) -> Source {
        switch location {
        // Somebody else named it.
        case .web(let address): try open(address.text, reach: .otherMachines, request)
        case .sent(let song): try open(path(of: song), request)
        case .local(let name) where initial.contains(location):
            if let capture = options.capture {
                try .capture(open(capture, request.epoch))
            } else {
                try open(name, raw: options.raw, request)
            }
        case .local(let name): try open(name, request)
        }
    }

    private func path(of song: SentSongID) throws(RuntimeFailure) -> String {
        guard let path = pathOfSentSong(song) else { throw RuntimeFailure(.missingInput, .sentSongGone) }
        return path
    }

    private func open(
        _ name: String, raw: RawPCMFormat? = nil, reach: HTTPReach = .anywhere, _ request: SourceRequest
    ) throws(RuntimeFailure) -> Source {
        let reader = try SongReader(
            name, raw: raw, reach: reach, songsBefore: request.songsBefore, from: request.firstFrame,
            handler: receiver(of: request.epoch, reach))
        return .song(reader, isRaw: raw != nil)
    }

    private func open(_ capture: CaptureOptions, _ epoch: Epoch) throws(RuntimeFailure) -> CaptureSource {
        let source = try CaptureSource(capture, handler: receiver(of: epoch)) { [loop, emit] notice in
            loop.execute { emit(.notice(.device(notice))) }
        }
        try source.start()
        loop.execute { self.handler(epoch, .opened(isLive: true, isSeekable: false)) }
        return source
    }

    private func receiver(of epoch: Epoch, _ reach: HTTPReach = .anywhere) -> @Sendable (SourceEvent) -> Void {
        { [weak self, loop] event in
            let event = reach == .otherMachines ? event.asNamedByOthers : event
            loop.execute { [weak self] in self?.receive(event, of: epoch) }
        }
    }

    private func receive(_ event: SourceEvent, of opened: Epoch) {
        let epoch = successors[opened] ?? opened
        guard let source = sources[epoch] else { return }
        if case .list(let items) = event, case .song(_, isRaw: true) = source {
            initial.formUnion(items.map(\.location))
        }
        if case .failed = event {
            switch source {
            case .song(let reader, _):
                // A list that was refused is no failure of the reader's.
                note(reader.failure.flatMap { $0.songs == nil ? RuntimeFailure($0) : nil }, of: epoch)
            case .capture(let capture): note(capture.failure, of: epoch)
            }
        }
        handler(epoch, event)
    }

    private func note(_ failure: RuntimeFailure?, of epoch: Epoch) {
        failures[epoch] = failure
        lastFailure = failure
    }

    /// Reads more of a song; a capture sends what it hears unasked.
    func read(_ epoch: Epoch) { if case .song(let reader, _)? = sources[epoch] { reader.read() } }

    /// Lets go of a song; nothing is reported of it any more.
    func close(_ epoch: Epoch) {
        successors = successors.filter { $0.value != epoch }
        switch sources.removeValue(forKey: epoch) {
        case .song(let reader, _): reader.stop()
        case .capture(let capture): capture.stop()
        case nil: break
        }
    }

    func closeAll() { for epoch in sources.keys { close(epoch) } }
}

// Confined to its event loop, to which readers bring their events.
extension BroadcastSources: @unchecked Sendable {}
