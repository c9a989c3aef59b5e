import AudioDecoding
import Glibc

/// A running decode worker and the socket to it. Kills the worker when it goes out of scope. Not thread-safe.
struct WorkerProcess: ~Copyable {
    /// Nil if no process was started: somebody else has the other end of the socket.
    let processID: pid_t?
    private let socket: Int32
    private let interrupt: DecodingInterrupt

    enum Failure: Error {
        /// The system could not start it: operation and `errno`.
        case cannotStart(String, Int32)
        /// It ended, sent an invalid answer, or was interrupted.
        case ended
        /// It did not answer in time.
        case late
    }

    /// Starts the worker, which inherits nothing but its end of the socket.
    /// - Parameter interrupt: closes the connection, so that waits fail as if the worker had ended.
    init(_ program: WorkerProgram, interrupt: DecodingInterrupt) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .cannotStart("socketpair", errno) }
        defer { close(ends[1]) }
        do throws(Failure) {
            processID = try Self.spawn(program, socket: ends[1])
            socket = ends[0]
        } catch {
            close(ends[0])
            throw error
        }
        self.interrupt = interrupt
        interrupt.onInterrupt { [socket] in shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Takes the place of a program that has started a worker.
    /// - Parameter socket: what goes to the worker, and comes from it; closed with this.
    init(socket: Int32, interrupt: DecodingInterrupt) {
        processID = nil
        self.socket = socket
        self.interrupt = interrupt
    }

    deinit {
        // Before the descriptor's number can be reused for another socket.
        interrupt.onInterrupt(nil)
        close(socket)
        guard let processID else { return }
        // It may be busy or stuck. It has nothing to clean up.
        kill(processID, SIGKILL)
        while waitpid(processID, nil, 0) < 0, errno == EINTR {}
    }

    /// Sends a message. Returns when all of it is in the socket's buffer.
    func send(_ kind: WorkerMessageKind, _ body: RawSpan, by deadline: Deadline) throws(Failure) {
        try send(kind: kind.rawValue, body, by: deadline)
    }

    /// Sends a message of any kind, even an invalid one.
    func send(kind: UInt32, _ body: RawSpan, by deadline: Deadline) throws(Failure) {
        let header = WorkerMessageHeader(kind: kind, bodyByteCount: body.byteCount).words
        try header.span.bytes.withUnsafeBytes { (bytes) throws(Failure) in
            try send(bytes, Int32(MSG_MORE), by: deadline)
        }
        try body.withUnsafeBytes { (bytes) throws(Failure) in try send(bytes, 0, by: deadline) }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, _ flags: Int32, by deadline: Deadline) throws(Failure) {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.send(
                socket, bytes.baseAddress! + offset, bytes.count - offset,
                flags | Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if count > 0 { offset += count } else { try wait(for: Int16(POLLOUT), by: deadline) }
        }
    }

    /// Receives exactly `bytes.count` bytes.
    func receive(_ bytes: UnsafeMutableRawBufferPointer, by deadline: Deadline) throws(Failure) {
        var offset = 0
        while offset < bytes.count {
            let count = recv(
                socket, bytes.baseAddress! + offset, bytes.count - offset, Int32(MSG_DONTWAIT))
            guard count != 0 else { throw .ended }
            if count > 0 { offset += count } else { try wait(for: Int16(POLLIN), by: deadline) }
        }
    }

    /// Receives a message of this kind and of a size in the range; its body overwrites the start of `body`.
    /// - Returns: bytes in the body.
    func receive(
        _ kind: WorkerMessageKind, size: ClosedRange<Int>, into body: inout [UInt8], by deadline: Deadline
    ) throws(Failure) -> Int {
        var word: UInt64 = 0
        let header = try withUnsafeMutableBytes(of: &word) { (bytes) throws(Failure) in
            try receive(bytes, by: deadline)
            return WorkerMessageHeader(UnsafeRawBufferPointer(bytes))
        }
        let count = header.bodyByteCount
        guard header.kind == kind.rawValue, size.contains(count) else { throw .ended }
        if body.count < count { body.append(contentsOf: repeatElement(0, count: count - body.count)) }
        try body.withUnsafeMutableBufferPointer { (bytes) throws(Failure) in
            try receive(
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[..<count]), by: deadline)
        }
        return count
    }

    /// Waits after a call on the socket failed, if waiting can help.
    private func wait(for events: Int16, by deadline: Deadline) throws(Failure) {
        guard errno == EAGAIN || errno == EINTR else { throw .ended }
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        let left = deadline.millisecondsLeft
        guard left > 0 else { throw .late }
        _ = poll(&descriptor, 1, left)
    }
}

/// A point in time to wait until. Time during which the machine sleeps does not count.
struct Deadline {
    private let nanoseconds: UInt64

    init(seconds: Double) { nanoseconds = Self.now + UInt64(seconds * 1e9) }

    var millisecondsLeft: Int32 {
        let now = Self.now
        return nanoseconds > now ? Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000) : 0
    }

    private static var now: UInt64 { clock_gettime_nsec(CLOCK_MONOTONIC) }

    private static func clock_gettime_nsec(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
