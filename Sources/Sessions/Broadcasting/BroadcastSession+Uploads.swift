import AudioCore
import ClockSync
import NIOCore
import Peering
import Programmes
import WireProtocol

/// Taking songs that others send: the shell keeps their bytes until all are there; then they are queued.
extension BroadcastSession {
    mutating func take(_ offer: SongOffer, from id: ConnectionID, _ now: HostTime) {
        let upload = SongUpload(offer)
        let origin = CommandOrigin.connection(id)
        do throws(CommandRefusal) {
            try authorize(origin)
        } catch {
            // Neither counted nor remembered, like any command of theirs: it takes nothing from those who may.
            return answer(CommandLog<CommandOrigin>.refusal(of: upload.command, error), origin, now)
        }
        switch log.admit(upload.command, from: origin, now: now) {
        case .repeated(let outcome), .excess(let outcome): return answer(outcome, origin, now)
        case .new: break
        }
        do throws(CommandRefusal) {
            try check(offer, from: id)
            uploads[id] = upload
            actions.append(.openSpool(offer))
        } catch {
            answer(log.refuse(upload.command, error), origin, now)
        }
    }

    private func check(_ offer: SongOffer, from id: ConnectionID) throws(CommandRefusal) {
        // Its own user's programs know who may: the page has guests who do.
        guard configuration.acceptsSongs || isOwnUser(.connection(id)) else { throw .notAllowed }
        guard offer.byteCount > 0 else { throw .unplayable }
        guard offer.byteCount <= BroadcastLimits.longestUpload else { throw .songTooLong }
        guard uploads[id] == nil, uploads.count < BroadcastLimits.uploadCount else { throw .tooManySongs }
        if let position = offer.position, position > programme.itemCount { throw .outOfRange }
    }

    mutating func take(_ bytes: SongBytes, from id: ConnectionID, _ now: HostTime) {
        // What was refused may still be under way.
        guard uploads[id]?.offer.id == bytes.id else { return }
        guard uploads[id]?.receive(bytes.bytes.readableBytes) == true else {
            return refuse(id, Refusal(.protocolError, "more of a song came than was asked for"), now)
        }
        actions.append(.writeSpool(bytes))
    }

    mutating func note(_ event: SpoolEvent, of offer: CommandID, _ now: HostTime) {
        guard let id = uploads.first(where: { $0.value.offer.id == offer })?.key else { return }
        switch event {
        case .opened(let song): uploads[id]?.begin(as: song)
        case .wrote(let count): uploads[id]?.keep(count)
        case .failed(let refusal):
            guard let upload = uploads.removeValue(forKey: id) else { return }
            return answer(log.refuse(upload.command, refusal), .connection(id), now)
        }
        if let upload = uploads[id], let song = upload.whole {
            uploads[id] = nil
            queue(song, upload, from: id, now)
        } else if let credit = uploads[id]?.takeCredit() {
            send(WireEncoder.songCredit(SongCredit(id: offer, upTo: credit)), to: id, now)
        }
    }

    private mutating func queue(_ song: SentSongID, _ upload: SongUpload, from id: ConnectionID, _ now: HostTime) {
        do throws(CommandRefusal) {
            // It may have lost the right meanwhile.
            try authorize(.connection(id))
            let item = NewItem(.sent(song), title: upload.offer.name)
            // Others may have removed songs meanwhile.
            let position = min(upload.offer.position ?? .max, programme.itemCount)
            note(.queue(try programme.insert([item], at: position), itemCount: programme.itemCount), now)
            tellAdded(1, at: position, by: id, now)
            let pending = pendingCommand(upload.command, from: .connection(id))
            finish(pending, ClockMapping.identity.session(at: now), now)
        } catch {
            actions.append(.closeSpool(upload.offer.id))
            answer(log.refuse(upload.command, error), .connection(id), now)
        }
    }

    /// Tells who added what. The broadcaster's own user knows.
    mutating func tellAdded(_ count: Int, at position: Int, by id: ConnectionID, _ now: HostTime) {
        let first = programme.page(QueuePageRequest(first: position, count: 1), sequence: 0).items.first
        guard let link = connections[id], link.connection.direction != .local, let first else { return }
        notify(.songsAdded(by: link.connection.name, first: first.title, count: count), from: link, now)
    }

    /// Forgets what was sent over a connection that ended in the middle.
    mutating func abandonUpload(of id: ConnectionID) {
        if let upload = uploads.removeValue(forKey: id) { actions.append(.closeSpool(upload.offer.id)) }
    }

    /// Whether an item is this song; for a shell that needs room.
    public func isQueued(_ song: SentSongID) -> Bool { programme.contains(.sent(song)) }
}
