import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering
import Programmes
import SecureChannel
import SessionExecution
import Songs
import WireProtocol

/// What the session wants done.
extension BroadcastRunner: BroadcastEnvironment {
    var now: HostTime { .now() }

    var sleepReading: SleepReading { .now() }

    func startTimer(_ span: TimeSpan) {
        // Fails once the loop has ended, when nobody needs it.
        timer = try? loop.scheduleCallback(in: .nanoseconds(span.nanoseconds), handler: self)
    }

    func dial(_ dial: Dialer.Dial) { network.dial(dial) }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        if browsers.send(bytes, to: id) { return }
        guard id == LocalListener.connection else { return network.send(bytes, to: id) }
        local?.receive(bytes)
        loop.execute { self.handle(.wrote(id, byteCount: bytes.readableBytes)) }
    }

    func send(_ messages: SharedMessages, to id: ConnectionID) {
        guard !browsers.contains(id), id != LocalListener.connection else {
            for message in messages.messages { send(message, to: id) }
            return
        }
        network.send(.shared(messages), to: id)
    }

    func close(_ id: ConnectionID) {
        if browsers.close(id) { return }
        guard id == LocalListener.connection else { return network.close(id) }
        local?.disconnect()
    }

    func addKey(_ key: ClockKey) { responder?.register(key) }

    func removeKey(_ key: ClockKey) { responder?.unregister(keyIdentifier: key.identifier) }

    func openSource(_ request: SourceRequest) {
        let epoch = request.epoch.number
        switch request.origin {
        case .location(.sent(let song)): spool.noteOpened(song, epoch: epoch)
        case .sameSource(let former): spool.noteOpened(next: epoch, after: former.number)
        case .sameSong(let former):
            spool.noteOpened(next: epoch, after: former.number)
            spool.noteClosed(epoch: former.number)
        case .location: break
        }
        sources.open(request)
    }

    func readSource(_ epoch: Epoch) { sources.read(epoch) }

    func closeSource(_ epoch: Epoch) {
        sources.close(epoch)
        spool.noteClosed(epoch: epoch.number)
    }

    func transcode(_ request: TranscodingRequest) { transcoding.transcode(request) }

    func endTranscoding() { transcoding.release() }

    func openSpool(_ offer: SongOffer) { spool.open(offer) }

    func writeSpool(_ bytes: SongBytes) { spool.write(bytes) }

    func closeSpool(_ id: CommandID) { spool.close(id) }

    func lookUp(_ lookup: Lookup, about item: ItemLocation?, for id: ConnectionID) {
        let path = item.flatMap { sources.path(of: $0) }
        lookups.answer(lookup, MusicLookup(lookup.subject, ofSong: path)) { [weak self] in self?.handle(.found(id, $0))
        }
    }

    func describe(_ item: ItemID, at location: ItemLocation) {
        guard let path = sources.pathToDescribe(location) else { return handle(.described(item, nil)) }
        if case .sent(let song) = location { spool.noteDescribed(song) }
        describer.describe(path) { [weak self] description in
            self?.spool.noteDescribed(nil)
            self?.handle(.described(item, description))
        }
    }

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {
        household.receive(document: document, from: id)
    }

    func didMeet(_ peer: MetPeer) { pinKeeper.note(peer) }

    func watchPins() { pinKeeper.watchStore() }

    func broadcastDidChange() { emitStatus() }

    func broadcastDidTell(_ notice: BroadcastNotice) {
        guard case .songPassedOver(let epoch, let text) = notice else { return emit(.notice(.broadcast(notice))) }
        passedOver(sources.failure(of: epoch) ?? RuntimeFailure(.unusableInput, .source(text)))
    }

    private func passedOver(_ failure: RuntimeFailure) {
        failures.append(failure)
        emit(.notice(.song(.passedOver(failure))))
    }

    func answer(_ outcome: CommandOutcome, to asker: Asker) {
        if !outcome.text.isEmpty { emit(.notice(.command(outcome))) }
    }

    func machineDidSleep(for span: TimeSpan) { emit(.notice(.slept(span))) }

    func broadcastDidFinish(_ outcome: BroadcastOutcome) {
        timer?.cancel()
        emitLastStatus(end: outcome == .completed ? executor?.session.end : nil)
        switch outcome {
        case .completed:
            if let failure = localFailure ?? songsFailure { done.fail(failure) } else { done.succeed(outcome) }
        case .stopped: done.succeed(outcome)
        case .brokenOff(let text): done.fail(songFailure(text))
        case .unplayable(let text):
            let failure = songFailure(text ?? "it has no audio")
            if !failures.isEmpty { passedOver(failure) }
            done.fail(songsFailure ?? failure)
        case .nobody(let names):
            done.fail(RuntimeFailure(.unknownPeer, .noListener(names: names)))
        }
    }

    /// Why the song that came last failed.
    private func songFailure(_ text: String) -> RuntimeFailure {
        sources.lastFailure ?? RuntimeFailure(.unusableInput, .source(text))
    }

    /// How many songs could not be played; nil if all could.
    private var songsFailure: RuntimeFailure? {
        guard let first = failures.first, let session = executor?.session else { return nil }
        return RuntimeFailure(first.kind, .songsFailed(count: failures.count, of: session.songCount))
    }
}
