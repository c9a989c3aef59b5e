import NIOCore

/// Calls once when a time has passed, which may be put off often and cheaply. Confined to its event loop.
final class Deadline {
    private let loop: any EventLoop
    private let action: () -> Void
    /// Nil while it is not awaited.
    private var due: NIODeadline?
    /// When it will look whether it is due; nil if it will not.
    private var look: (at: NIODeadline, task: Scheduled<Void>)?

    init(on loop: any EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Awaits this instead of what it awaited; nothing for nil.
    func set(_ time: TimeAmount?) {
        due = time.map { loop.now + $0 }
        guard let due else { return }
        if let look, look.at <= due { return }
        schedule(at: due)
    }

    private func schedule(at time: NIODeadline) {
        look?.task.cancel()
        look = (time, loop.scheduleTask(deadline: time) { [weak self] in self?.lookNow() })
    }

    private func lookNow() {
        look = nil
        guard let due else { return }
        guard loop.now >= due else { return schedule(at: due) }
        self.due = nil
        action()
    }

    /// Awaits nothing any more.
    func end() {
        due = nil
        look?.task.cancel()
        look = nil
    }
}

// Confined to its event loop, on which its owner calls.
extension Deadline: @unchecked Sendable {}
