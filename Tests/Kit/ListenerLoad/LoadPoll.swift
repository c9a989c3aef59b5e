import CLoadPolling
import Glibc

/// Waits for many sockets at once; see epoll(7). A socket that is closed is no longer waited for.
final class LoadPoll {
    private static let batchCount = 256

    private let descriptor: Int32
    private let events = UnsafeMutablePointer<load_event>.allocate(capacity: batchCount)

    init() throws(LoadSocket.Failure) {
        descriptor = load_poll_create()
        guard descriptor >= 0 else { throw LoadSocket.Failure(call: "epoll_create", code: -descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        events.deallocate()
    }

    /// - Parameter what: `LOAD_READABLE` and its like.
    func watch(_ socket: Int32, for what: Int, tag: UInt64, isNew: Bool) {
        load_poll_watch(descriptor, socket, UInt32(what), tag, isNew ? 1 : 0)
    }

    /// Calls `body` for each socket that is ready, once one is; it may watch others.
    func wait(milliseconds: Int32, _ body: (_ tag: UInt64, _ what: UInt32) -> Void) {
        let count = load_poll_wait(descriptor, events, Int32(Self.batchCount), milliseconds)
        for index in 0..<Int(max(0, count)) { body(events[index].tag, events[index].what) }
    }
}
