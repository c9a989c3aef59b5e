import CLinux
import Glibc

/// A child process and the pipe from it. Ends the child, and whatever is in its process group, when it goes out of
/// scope. Not thread-safe.
struct RunningChild: ~Copyable {
    /// Where its standard output is read.
    let output: Int32
    private let processID: pid_t

    init(
        _ arguments: [String], environment: [String], input: [UInt8], limits: ProcessLimits
    ) throws(ProcessError) {
        guard let path = arguments.first else { throw .cannotStart(operation: "execve", code: ENOENT) }
        let standardInput = input.withUnsafeBytes { cchild_sealed_memory($0.baseAddress, $0.count) }
        guard standardInput >= 0 else { throw .cannotStart(operation: "memfd_create", code: errno) }
        defer { close(standardInput) }
        var ends: [Int32] = [-1, -1]
        let failure = cchild_pipe(&ends)
        guard failure == 0 else { throw .cannotStart(operation: "pipe2", code: failure) }
        defer { close(ends[1]) }
        let arguments = CStringArray(arguments)
        let environment = CStringArray(environment)
        var resources = limits.resources
        var processID: pid_t = 0
        let code = cchild_start(
            path, arguments.pointers, environment.pointers, standardInput, ends[1], &resources, &processID)
        guard code == 0 else {
            close(ends[0])
            throw .cannotStart(operation: "execve", code: code)
        }
        output = ends[0]
        self.processID = processID
    }

    deinit { _ = Self.end(processID, output) }

    /// Whether it has ended. Its number stays its own.
    var hasEnded: Bool {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(processID), &information, WEXITED | WNOHANG | WNOWAIT)
        // It says nothing of one that runs. A process that ignores SIGCHLD hears of none.
        return result == 0 ? information.si_signo != 0 : errno != EINTR
    }

    /// Ends it, unless it has ended.
    /// - Returns: its exit status, or the signal that ended it.
    consuming func end() -> (status: Int32, isSignal: Bool) {
        let status = Self.end(processID, output)
        discard self
        // wait(2): the low seven bits are a signal's number, the second byte is the exit status.
        return status & 0x7F != 0 ? (status & 0x7F, true) : (status >> 8 & 0xFF, false)
    }

    /// - Returns: the status of wait(2); 0 where the system does not keep it.
    private static func end(_ processID: pid_t, _ output: Int32) -> Int32 {
        close(output)
        // Until it was waited for, no other process and no other group can have its number.
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return 0 }
        }
        return status
    }
}
