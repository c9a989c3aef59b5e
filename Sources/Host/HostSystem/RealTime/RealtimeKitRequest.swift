import CLinux
import Synchronization

/// One request to RealtimeKit for the thread that created it, made on a thread of its own.
final class RealtimeKitRequest: Sendable {
    /// Kernels reuse the IDs of ended threads: once the thread is about to end, nothing is asked for it.
    private let isOver = Shared()

    /// - Parameters:
    ///   - ask: blocks; called once, with the kernel ID of the thread that created this.
    ///   - refused: called at most once, on the same thread as `ask`, or on the caller's if none could be started.
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

    /// Prevents the request if it was not made yet: the thread is about to end.
    func cancel() { isOver.flag.store(true, ordering: .releasing) }

    private final class Shared: Sendable {
        let flag = Atomic(false)
    }
}
