import HostSystem
import Synchronization

/// Reads the tags of many songs at once: most of the time is spent waiting for the disk, or for the network behind it.
enum TagReading {
    private static let threadCount = 4

    /// Blocks.
    /// - Returns: the tags of each song, in order; nil for one that cannot be read now.
    static func tags(of paths: [String]) -> [SongTags?] {
        let share = Share(paths)
        // Where the system has no room for a thread, there are fewer.
        let threads = (1..<threadCount).compactMap { _ in
            try? HostThread(name: "tutti-tags") { share.work() }
        }
        share.work()
        for thread in threads { thread.join() }
        return share.tags.withLock { tags in paths.indices.map { tags[$0] } }
    }

    /// Songs of which each thread takes the next one.
    private final class Share: Sendable {
        let tags = Mutex<[Int: SongTags]>([:])
        private let paths: [String]
        private let next = Atomic(0)

        init(_ paths: [String]) { self.paths = paths }

        func work() {
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < paths.count else { return }
                let read = SongTags(ofSong: paths[index])
                tags.withLock { $0[index] = read }
            }
        }
    }
}
