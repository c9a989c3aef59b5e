import AudioCore
import HostSystem
import NIOCore
import NIOPosix
import Programmes
import Songs

/// Reads what songs say of themselves before they play, one after another.
///
/// Disks may hold it up, and everything else goes first: it has a thread of its own, made for the first song, that gets
/// little of the processor. Confined to its event loop.
final class SongDescriber {
    private let loop: any EventLoop
    private var thread: (pool: NIOThreadPool, queue: WorkQueue)?
    private var isStopped = false

    private static let niceness: Int32 = 10
    /// How long the end waits for a song that is being read.
    private static let patience = TimeAmount.seconds(1)

    init(loop: any EventLoop) { self.loop = loop }

    /// Reads a song's tags, how long it is, and whether it has a picture.
    /// - Parameters:
    ///   - path: what is there is read if it is a file. A FIFO is not opened: its writer would notice.
    ///   - completion: called on the event loop, unless the describer was stopped. Nil if there is nothing to tell.
    func describe(_ path: String, _ completion: @escaping (ItemDescription?) -> Void) {
        guard !isStopped else { return }
        let completion = NIOLoopBound(completion, eventLoop: loop)
        startedQueue().perform({ Self.description(ofFile: path) }) { [weak self] result in
            guard let self, !self.isStopped else { return }
            completion.value(result.get())
        }
    }

    private static func description(ofFile path: String) -> ItemDescription? {
        HostThread.standBack(niceness)
        guard !SongSource.isPipe(path), let summary = AudioStreamSummary(ofSong: path) else { return nil }
        let hasPicture = summary.artworkFormat != nil || SongArtwork.isPicture(besideSong: path)
        return ItemDescription(summary, hasPicture: hasPicture)
    }

    private func startedQueue() -> WorkQueue {
        if let thread { return thread.queue }
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let queue = WorkQueue(loop: loop, pool: pool)
        thread = (pool, queue)
        return queue
    }

    /// Ends it; nothing is answered any more.
    func shutDown() -> EventLoopFuture<Void> {
        isStopped = true
        guard let (pool, queue) = thread else { return loop.makeSucceededVoidFuture() }
        thread = nil
        let ended = loop.makePromise(of: Void.self)
        let deadline = loop.scheduleTask(in: Self.patience) { ended.succeed() }
        queue.finish().whenComplete { _ in
            deadline.cancel()
            pool.end { ended.succeed() }
        }
        return ended.futureResult
    }
}

// Confined to its event loop.
extension SongDescriber: @unchecked Sendable {}
