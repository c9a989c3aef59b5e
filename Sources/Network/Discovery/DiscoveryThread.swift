import Glibc

/// A thread that runs one function to its end. It blocks all signals: they belong to the main thread.
final class DiscoveryThread: Sendable {
    private let thread: pthread_t
    /// The read end of a pipe whose other end the thread closes when it ends: unlike `pthread_join`, it can be waited
    /// for with a timeout.
    private let ended: Int32

    /// Returns nil if the system has no more threads or file descriptors.
    init?(_ run: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let body = Body(run: run, end: ends[1])
        guard let thread = Self.start(body) else {
            close(ends[0])
            close(ends[1])
            return nil
        }
        self.thread = thread
        ended = ends[0]
    }

    deinit { close(ended) }

    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// Waits for the end; detaches the thread after the limit. Call it, or ``detach()``, once.
    func join(limitMilliseconds: Int32) {
        var watch = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        if poll(&watch, 1, limitMilliseconds) == 1 {
            pthread_join(thread, nil)
        } else {
            detach()
        }
    }

    /// Lets the thread run on by itself.
    func detach() { pthread_detach(thread) }

    private static func start(_ body: Body) -> pthread_t? {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(body)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                body.run()
                close(body.end)
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            return nil
        }
        return thread
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        let end: Int32

        init(run: @escaping @Sendable () -> Void, end: Int32) {
            self.run = run
            self.end = end
        }
    }
}
