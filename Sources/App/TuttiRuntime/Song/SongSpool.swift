import Broadcasting
import Glibc
import NIOCore
import Programmes
import WireProtocol

/// Songs that other machines send to a broadcaster, in files without a name: they are gone with the process, however it
/// ends.
///
/// Bounded in bytes and in songs. Where a new song needs room, those go first that were played or are no longer queued,
/// the oldest first. Confined to its event loop; disks are written on other threads.
final class SongSpool {
    private struct Song {
        let id: SentSongID
        let offer: CommandID
        let byteCount: UInt64
        let file: Int32
        var isWhole = false
        var wasPlayed = false
        let writing: WorkQueue
        var keptCount: UInt64 = 0
    }

    /// A song that is read for an epoch.
    private struct Reading {
        let song: SentSongID
        var isHeard = false
    }

    private let loop: any EventLoop
    private let byteCountLimit: UInt64
    private let songCountLimit: Int
    /// Number of the newest name.
    private var lastNumber: UInt64 = 0
    /// Oldest first.
    private var songs: [Song] = []
    /// By the epochs' numbers.
    private var reading: [UInt32: Reading] = [:]
    /// The song that is looked at before it plays.
    private var described: SentSongID?
    /// Called for what becomes of a song.
    var handler: (CommandID, SpoolEvent) -> Void = { _, _ in }
    /// Says whether a song is still in the queue.
    var isQueued: (SentSongID) -> Bool = { _ in true }

    /// - Parameters:
    ///   - byteCountLimit: for all songs together.
    ///   - songCountLimit: each song takes a file descriptor.
    init(loop: any EventLoop, byteCountLimit: UInt64 = 2 << 30, songCountLimit: Int = 200) {
        self.loop = loop
        self.byteCountLimit = byteCountLimit
        self.songCountLimit = songCountLimit
    }

    func open(_ offer: SongOffer) {
        let event: SpoolEvent
        if makeRoom(for: offer.byteCount), let file = Self.makeFile() {
            lastNumber += 1
            let id = SentSongID(lastNumber)
            songs.append(
                Song(
                    id: id, offer: offer.id, byteCount: offer.byteCount, file: file, writing: WorkQueue(loop: loop)))
            event = .opened(id)
        } else {
            event = .failed(.noRoom)
        }
        loop.execute { self.handler(offer.id, event) }
    }

    func write(_ bytes: SongBytes) {
        guard let index = indexOfSong(offeredAs: bytes.id) else { return }
        let file = songs[index].file
        let count = bytes.bytes.readableBytes
        songs[index].writing.perform {
            try Self.append(bytes.bytes, to: file)
        } then: { [weak self] result in
            switch result {
            case .success: self?.noteWritten(count, of: bytes.id)
            case .failure:
                self?.close(bytes.id)
                self?.handler(bytes.id, .failed(.noRoom))
            }
        }
    }

    private func noteWritten(_ count: Int, of id: CommandID) {
        guard let index = indexOfSong(offeredAs: id) else { return }
        songs[index].keptCount += UInt64(count)
        songs[index].isWhole = songs[index].keptCount == songs[index].byteCount
        handler(id, .wrote(count))
    }

    func close(_ id: CommandID) {
        if let index = indexOfSong(offeredAs: id) { remove(at: index) }
    }

    /// Returns the newest song that was offered as this command.
    private func indexOfSong(offeredAs offer: CommandID) -> Int? { songs.lastIndex { $0.offer == offer } }

    /// Completes when nothing is written any more.
    func closeAll() -> EventLoopFuture<Void> {
        let closings = songs.indices.map { _ in remove(at: 0) }
        return EventLoopFuture.andAllComplete(closings, on: loop)
    }

    @discardableResult
    private func remove(at index: Int) -> EventLoopFuture<Void> {
        let song = songs.remove(at: index)
        return song.writing.finish().map { _ = Glibc.close(song.file) }
    }

    /// Returns the path at which a song can be opened, by this process and its children, until the next song needs
    /// room; nil if it is not kept any more.
    func path(of id: SentSongID) -> String? {
        songs.first { $0.id == id }.map { "/proc/\(getpid())/fd/\($0.file)" }
    }

    /// Takes note that a song is read for an epoch.
    func noteOpened(_ id: SentSongID, epoch: UInt32) { reading[epoch] = Reading(song: id) }

    /// Takes note that what is read for an epoch is read on for another one: the file holds several songs.
    func noteOpened(next epoch: UInt32, after former: UInt32) {
        reading[epoch] = reading[former].map { Reading(song: $0.song) }
    }

    /// Takes note that a song is looked at before it plays; nil: no longer.
    func noteDescribed(_ id: SentSongID?) { described = id }

    /// Takes note that an epoch is heard.
    func noteHeard(epoch: UInt32) { reading[epoch]?.isHeard = true }

    /// Takes note that an epoch is over, or not wanted any more: its song was played if it was heard.
    func noteClosed(epoch: UInt32) {
        guard let closed = reading.removeValue(forKey: epoch), closed.isHeard else { return }
        if let index = songs.firstIndex(where: { $0.id == closed.song }) { songs[index].wasPlayed = true }
    }

    private func makeRoom(for byteCount: UInt64) -> Bool {
        guard byteCount <= byteCountLimit else { return false }
        var free = byteCountLimit - songs.reduce(0) { $0 + $1.byteCount }
        while free < byteCount || songs.count >= songCountLimit {
            let index = songs.firstIndex { song in
                song.isWhole && !isRead(song.id) && (song.wasPlayed || !isQueued(song.id))
            }
            guard let index else { return false }
            free += songs[index].byteCount
            remove(at: index)
        }
        return true
    }

    private func isRead(_ id: SentSongID) -> Bool { described == id || reading.values.contains { $0.song == id } }

    private static func makeFile() -> Int32? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var name = Array((folder + "/tutti-XXXXXX").utf8CString)
        let file = mkstemp(&name)
        guard file >= 0, fcntl(file, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
        name.withUnsafeBufferPointer { _ = unlink($0.baseAddress!) }
        return file
    }

    private struct WriteError: Error {}

    private static func append(_ bytes: ByteBuffer, to file: Int32) throws {
        try bytes.withUnsafeReadableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.write(file, bytes.baseAddress! + done, bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw WriteError() }
                done += count
            }
        }
    }
}

// Confined to its event loop, to which what was written comes back.
extension SongSpool: @unchecked Sendable {}
