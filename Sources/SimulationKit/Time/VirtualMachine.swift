import AudioCore

/// A machine: a clock, and a life that can be interrupted or ended.
public final class VirtualMachine {
    /// What other machines dial; for people too.
    public let name: String
    public let loop: EventLoop
    public let clock: VirtualClock
    public private(set) var isAlive = true
    private var frozenUntil = TrueTime.start

    public init(name: String, loop: EventLoop, clock: VirtualClock) {
        self.name = name
        self.loop = loop
        self.clock = clock
    }

    public var now: HostTime { clock.host(at: loop.now) }

    /// Nothing runs on it for this long; its sound card and its network hardware do.
    public func freeze(for span: TimeSpan) { frozenUntil = max(frozenUntil, loop.now + span) }

    /// Nothing ever happens on it again.
    public func die() { isAlive = false }

    /// Runs `body` on this machine, later if it is frozen then, and not at all if it is dead.
    public func at(_ time: TrueTime, _ body: @escaping () -> Void) {
        loop.at(time) { [unowned self] in run(body) }
    }

    /// As ``at(_:_:)``, after a span on this machine's clock.
    public func after(_ span: TimeSpan, _ body: @escaping () -> Void) {
        // 100 ppm of a timer that is at most seconds long: no simulated program can tell.
        at(loop.now + span, body)
    }

    private func run(_ body: @escaping () -> Void) {
        guard isAlive else { return }
        guard loop.now >= frozenUntil else {
            at(frozenUntil, body)
            return
        }
        body()
    }
}
