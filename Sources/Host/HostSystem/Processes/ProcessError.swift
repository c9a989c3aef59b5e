/// Why a child process gave no output that is whole.
public enum ProcessError: Error, Hashable, Sendable {
    /// The system could not start it: the call that failed, and its error number.
    case cannotStart(operation: String, code: Int32)
    /// It ended by itself, with a status other than 0.
    case failed(status: Int32)
    /// A signal ended it: SIGKILL and SIGXCPU also for processor time, SIGXFSZ for the size of a file.
    case killed(signal: Int32)
    /// It took longer than it may, and was ended.
    case late
    /// It wrote more than it may, and was ended.
    case tooMuchOutput
    /// ``BoundedProcess/cancel()`` ended it.
    case cancelled
}
