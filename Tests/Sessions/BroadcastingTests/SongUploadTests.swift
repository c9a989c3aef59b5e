import AudioCore
import Broadcasting
import NIOCore
import Peering
import Programmes
import Testing
import WireProtocol

/// Songs that other machines send to a broadcaster.
@Suite(.timeLimit(.minutes(5))) struct SongUploadTests {
    /// A broadcast with one song, and a controller: connection 3.
    private func waiting(accepts: Bool = true) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.acceptsSongs = accepts }
        broadcast.give(seconds: 3)
        broadcast.join(3, roles: .controller)
        return broadcast
    }

    private func offer(
        _ byteCount: UInt64, at position: Int? = nil, _ broadcast: inout ScriptedBroadcast, from id: Int = 3
    ) -> SongOffer {
        let offer = SongOffer(byteCount: byteCount, position: position, name: "guest.flac")
        broadcast.say(WireEncoder.songOffer(offer), id)
        return offer
    }

    private func send(_ count: Int, of offer: SongOffer, _ broadcast: inout ScriptedBroadcast) {
        var left = count
        while left > 0 {
            let piece = ByteBuffer(repeating: 7, count: min(left, WireLimits.songBytesCount))
            left -= piece.readableBytes
            broadcast.say(WireEncoder.songBytes(SongBytes(id: offer.id, bytes: piece)), 3)
        }
    }

    private func credits(_ broadcast: ScriptedBroadcast) -> [UInt64] {
        broadcast.heard[3]?.messages.compactMap { if case .songCredit(let credit) = $0 { credit.upTo } else { nil } }
            ?? []
    }

    @Test func aSongIsQueuedWhenAllOfItIsKept() {
        var broadcast = waiting()
        let offer = offer(100_000, at: 0, &broadcast)
        #expect(broadcast.offers == [offer] && credits(broadcast).isEmpty, "nothing is asked for before there is room")
        broadcast.handle(.spool(offer.id, .opened(SentSongID(1))))
        #expect(credits(broadcast) == [65_536])
        send(65_536, of: offer, &broadcast)
        // No more is asked for than was written.
        #expect(credits(broadcast) == [65_536] && broadcast.spooled.count == 22)
        broadcast.handle(.spool(offer.id, .wrote(65_536)))
        #expect(credits(broadcast) == [65_536, 100_000])
        send(100_000 - 65_536, of: offer, &broadcast)
        #expect(broadcast.verdicts(of: 3).isEmpty)
        broadcast.handle(.spool(offer.id, .wrote(100_000 - 65_536)))
        guard case .done? = broadcast.verdicts(of: 3).first else { Issue.record("not done"); return }
        #expect(broadcast.session.isQueued(SentSongID(1)) && broadcast.session.songCount == 2)
        broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        guard case .queuePage(let page)? = broadcast.heard[3]?.messages.last else { Issue.record("no page"); return }
        #expect(page.items.map(\.title) == ["guest.flac", "Song"])
        #expect(broadcast.notices.contains(.songsAdded(by: "Listener 3", first: "guest.flac", count: 1)))
    }

    @Test func whoSendsMoreThanWasAskedForIsRefused() {
        var broadcast = waiting()
        let offer = offer(100_000, &broadcast)
        broadcast.handle(.spool(offer.id, .opened(SentSongID(1))))
        send(65_537, of: offer, &broadcast)
        #expect(broadcast.closed == [3] && broadcast.closedSpools == [offer.id])
    }

    @Test func oneThatVanishesInTheMiddleLeavesNothing() {
        var broadcast = waiting()
        let offer = offer(100_000, &broadcast)
        broadcast.handle(.spool(offer.id, .opened(SentSongID(1))))
        send(10_000, of: offer, &broadcast)
        broadcast.handle(.closed(ConnectionID(3)))
        broadcast.handle(.spool(offer.id, .wrote(10_000)))
        #expect(broadcast.closedSpools == [offer.id] && broadcast.session.songCount == 1)
    }

    @Test func whatCannotBeTakenIsRefused() {
        var closed = waiting(accepts: false)
        _ = offer(5, &closed)
        #expect(closed.verdicts(of: 3) == [.refused(.notAllowed)] && closed.offers.isEmpty)
        // The page of the broadcaster's own machine may: it knows which guests do.
        closed.join(4, roles: .controller, direction: .local)
        _ = offer(5, &closed, from: 4)
        #expect(closed.offers.count == 1)
        var broadcast = waiting()
        _ = offer(0, &broadcast)
        _ = offer(.max, &broadcast)
        _ = offer(5, at: 7, &broadcast)
        _ = offer(5, &broadcast)
        _ = offer(5, &broadcast)
        #expect(
            broadcast.verdicts(of: 3) == [
                .refused(.unplayable), .refused(.songTooLong), .refused(.outOfRange), .refused(.tooManySongs),
            ])
        #expect(broadcast.offers.count == 1)
    }

    @Test func aFullDiskRefusesIt() {
        var broadcast = waiting()
        let offer = offer(100, &broadcast)
        broadcast.handle(.spool(offer.id, .opened(SentSongID(1))))
        send(100, of: offer, &broadcast)
        broadcast.handle(.spool(offer.id, .failed(.noRoom)))
        #expect(broadcast.verdicts(of: 3) == [.refused(.noRoom)] && broadcast.session.songCount == 1)
        // Another one may come over the same connection.
        let next = self.offer(100, &broadcast)
        #expect(broadcast.offers.last == next)
    }

    @Test func onlySoManyAreSentAtOnce() {
        var broadcast = waiting()
        for id in 10..<20 {
            broadcast.join(id, roles: .controller)
            _ = offer(5, &broadcast, from: id)
        }
        #expect(broadcast.offers.count == 8 && broadcast.verdicts(of: 19) == [.refused(.tooManySongs)])
    }

    /// A household is left, and joined again.
    @Test func whetherSongsAreAcceptedChangesMeanwhile() {
        var broadcast = waiting()
        broadcast.handle(.acceptance(ofSongs: false))
        _ = offer(5, &broadcast)
        #expect(broadcast.verdicts(of: 3) == [.refused(.notAllowed)] && broadcast.offers.isEmpty)
        broadcast.handle(.acceptance(ofSongs: true))
        _ = offer(5, &broadcast)
        #expect(broadcast.offers.count == 1)
    }
}
