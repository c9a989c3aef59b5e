// A program that is given bytes, and gives bytes: with what it may use bounded, so that whatever it is given, it ends
// soon. Its standard input is memory that cannot change, not a pipe: nothing waits for it to read, and no signal comes
// if it does not. Whatever happens, it is ended with all that it started in its process group, and waited for, before
// the call returns; should this process end first, the kernel ends it.

import AudioCore
import CLinux
import Glibc

/// Runs programs as child processes with limits, and returns what they write. One may run several, one after the other
/// or at once.
///
/// Any thread may call any method.
public final class BoundedProcess: Sendable {
    /// Readable once cancelled, for good.
    private let cancellation: Int32

    /// - Throws: if the process has no file descriptor left.
    public init() throws(ProcessError) {
        cancellation = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard cancellation >= 0 else { throw .cannotStart(operation: "eventfd", code: errno) }
    }

    deinit { close(cancellation) }

    /// Ends what runs, and lets nothing run any more. Never blocks.
    public func cancel() {
        var one: UInt64 = 1
        write(cancellation, &one, 8)
    }

    /// Returns where the user's PATH has a program; nil if nowhere. Relative directories do not count.
    public static func path(of program: String) -> String? {
        guard let variable = getenv("PATH"), !program.isEmpty else { return nil }
        return String(cString: variable).split(separator: ":").lazy.filter { $0.first == "/" }
            .map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// Runs a program until it ends, and blocks so long.
    ///
    /// No shell is involved. The child has no descriptors but its standard three, of which the third is `/dev/null`,
    /// and a process group of its own, so that keys at the terminal do not reach it. The calling thread must not end
    /// before the call returns; the child does with it.
    /// - Parameters:
    ///   - arguments: the program's path, then its arguments.
    ///   - environment: all variables of the child, as `NAME=value`.
    ///   - input: its standard input.
    /// - Returns: all of its standard output.
    /// - Throws: also if it ended with a status other than 0; then its output is dropped.
    public func run(
        _ arguments: [String], environment: [String] = [], input: [UInt8] = [], limits: ProcessLimits
    ) throws(ProcessError) -> [UInt8] {
        guard !isCancelled else { throw .cancelled }
        let deadline = HostTime.now() + limits.time
        let child = try RunningChild(arguments, environment: environment, input: input, limits: limits)
        let output = try read(child.output, atMost: limits.outputByteCount, until: deadline)
        try awaitEnd(of: child, until: deadline)
        let (status, isSignal) = child.end()
        guard !isSignal else { throw .killed(signal: status) }
        guard status == 0 else { throw .failed(status: status) }
        return output
    }

    // MARK: Waiting

    /// Reads until nobody can write any more.
    private func read(_ output: Int32, atMost limit: Int, until deadline: HostTime) throws(ProcessError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try wait(for: output, until: deadline)
            let count = Glibc.read(output, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 {
                guard count <= limit - bytes.count else { throw .tooMuchOutput }
                bytes += chunk[..<count]
            } else if errno != EINTR, errno != EAGAIN {
                throw .cannotStart(operation: "read", code: errno)
            }
        }
    }

    /// It seldom does anything after its output's end, so looking is enough.
    private func awaitEnd(of child: borrowing RunningChild, until deadline: HostTime) throws(ProcessError) {
        while !child.hasEnded { try wait(for: nil, until: deadline) }
    }

    private static let glance: Int32 = 2

    /// Waits until a descriptor is readable, or for a moment if there is none.
    private func wait(for descriptor: Int32?, until deadline: HostTime) throws(ProcessError) {
        while true {
            let left = deadline - .now()
            guard left > .zero else { throw .late }
            let milliseconds = Int32(clamping: left.nanoseconds / 1_000_000 + 1)
            // A negative one is passed over.
            var requests = [
                pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&requests, 2, descriptor == nil ? Self.glance : milliseconds)
            guard count <= 0 || requests[0].revents == 0 else { throw .cancelled }
            if count > 0 || descriptor == nil { return }
        }
    }

    private var isCancelled: Bool {
        var request = pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
