import AudioCore
import HostSystem
import Synchronization

/// Looks at many things of one kind, some of them at the same time, each on a thread that may hang.
enum SideBySide {
    fileprivate struct State<Facts> {
        var next = 0
        var facts: [Facts?]
    }

    fileprivate final class Board<Facts: Sendable>: Sendable {
        let state: Mutex<State<Facts>>

        init(count: Int) { state = Mutex(State(facts: Array(repeating: nil, count: count))) }
    }

    /// Blocks until all was looked at, or until an instant. What hangs then is left behind, with its thread, and what
    /// has not begun does not begin.
    /// - Parameters:
    ///   - limit: how many things are looked at at once.
    ///   - name: of the threads; at most 15 bytes are kept.
    /// - Returns: what was found of each thing, in their order; nil for what was not over in time.
    static func look<Item: Sendable, Facts: Sendable>(
        at items: [Item], atOnce limit: Int, by deadline: HostTime, _ name: String,
        _ look: @escaping @Sendable (Item) -> Facts
    ) -> [Facts?] {
        let board = Board<Facts>(count: items.count)
        let threads = (0..<min(max(1, limit), items.count)).compactMap { _ in
            try? HostThread(name: name) {
                while let index = board.take(before: deadline) {
                    let facts = look(items[index])
                    board.state.withLock { $0.facts[index] = facts }
                }
            }
        }
        for thread in threads { thread.join(atMost: max(.milliseconds(1), deadline - .now())) }
        return board.state.withLock { $0.facts }
    }
}

extension SideBySide.Board {
    /// The next thing to look at; nil if there is none, or no time left.
    fileprivate func take(before deadline: HostTime) -> Int? {
        guard HostTime.now() < deadline else { return nil }
        return state.withLock { state in
            guard state.next < state.facts.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }
}
