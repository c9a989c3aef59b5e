import Synchronization

/// A reader whose source holds another song, from the broadcast of one song to that of the next. Any thread may use it.
final class SongHandover: Sendable {
    private let reader = Mutex<SongReader?>(nil)

    var isEmpty: Bool { reader.withLock { $0 == nil } }

    func put(_ next: SongReader) { reader.withLock { $0 = next } }

    func take() -> SongReader? { reader.withLock { $0.take() } }
}
