import AudioCore
import CLinux
import Glibc

/// A timer of the kernel that an event loop can wait for: a descriptor that becomes readable at a time
/// (timerfd_create(2)).
///
/// Whoever has it closes it.
public struct TimerDescriptor: Hashable, Sendable {
    public let descriptor: Int32

    /// - Throws: if the process has no file descriptor left.
    public init() throws(DescriptorError) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw DescriptorError(code: errno) }
    }

    /// Makes it readable once, after `span`; nil: never. What was set before is forgotten, whether its time has come or
    /// not.
    public func set(_ span: TimeSpan?) {
        // Zero would be never.
        let time = span.map { max($0, TimeSpan(nanoseconds: 1)).timespec } ?? timespec()
        var setting = itimerspec(it_interval: timespec(), it_value: time)
        timerfd_settime(descriptor, 0, &setting, nil)
    }
}
