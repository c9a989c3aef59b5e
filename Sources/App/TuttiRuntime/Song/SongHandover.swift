import Synchronization

/// Passes a reader whose source holds another song from one song's broadcast to the next. Any thread may use it.
final class SongHandover: Sendable {
    private let reader = Mutex<SongReader?>(nil)

    var isEmpty: Bool { reader.withLock { $0 == nil } }

    func put(_ next: SongReader) { reader.withLock { $0 = next } }

    func take() -> SongReader? { reader.withLock { $0.take() } }
}
