import AudioCore
import Programmes
import WireProtocol

/// A song that is being sent to the broadcaster.
///
///     offered ──there is room──▶ coming ──all is kept──▶ queued
///        └──────no room, lost connection, full disk──────▶ refused or forgotten
struct SongUpload {
    let offer: SongOffer
    /// What it will be in the log.
    let command: Command
    /// What it is called where it is kept; nil while the shell looks for room.
    private var song: SentSongID?
    private var receivedCount: UInt64 = 0
    private var keptCount: UInt64 = 0
    /// Up to where its sender may go.
    private var credit: UInt64 = 0

    init(_ offer: SongOffer) {
        let sources = [ItemSource.file("/" + offer.name)]
        self.offer = offer
        command = Command(
            id: offer.id, .programme(offer.position.map { .insert(sources, at: $0) } ?? .add(sources)))
    }

    /// The song; nil until all of it is kept.
    var whole: SentSongID? { keptCount == offer.byteCount ? song : nil }

    mutating func begin(as song: SentSongID) { self.song = song }

    /// Counts bytes that came.
    /// - Returns: whether they were asked for.
    mutating func receive(_ byteCount: Int) -> Bool {
        receivedCount += UInt64(byteCount)
        return receivedCount <= credit
    }

    mutating func keep(_ byteCount: Int) { keptCount += UInt64(byteCount) }

    /// Returns how far the sender may go from now on; nil if it need not be told.
    mutating func takeCredit() -> UInt64? {
        let next = min(offer.byteCount, keptCount + BroadcastLimits.uploadWindow)
        guard song != nil, next > credit,
            next - credit >= BroadcastLimits.uploadWindow / 2 || next == offer.byteCount
        else { return nil }
        credit = next
        return next
    }
}
