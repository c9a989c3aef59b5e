import CLinux
import Synchronization

/// One question to RealtimeKit for the thread that made this, asked on a thread of its own.
final class RealtimeKitRequest: Sendable {
    /// Kernels use the numbers of ended threads again: for a thread that is over nothing is asked any more.
    private let isOver = Shared()

    /// - Parameters:
    ///   - ask: blocks; called once, with the number of the thread that made this.
    ///   - refused: called at most once, on the same thread as `ask` unless none could be started.
    init(
        ask: @escaping @Sendable (_ thread: Int32) throws(RealtimeKitError) -> Int32,
        refused: @escaping @Sendable (RealtimeKitError) -> Void
    ) {
        let number = crealtime_thread_id()
        let isOver = isOver
        do {
            _ = try HostThread(name: "tutti rights") {
                guard !isOver.flag.load(ordering: .acquiring) else { return }
                do throws(RealtimeKitError) {
                    _ = try ask(number)
                } catch {
                    refused(error)
                }
            }
        } catch {
            refused(.refused("no thread left to ask it"))
        }
    }

    /// The thread is about to end.
    func cancel() { isOver.flag.store(true, ordering: .releasing) }

    private final class Shared: Sendable {
        let flag = Atomic(false)
    }
}
