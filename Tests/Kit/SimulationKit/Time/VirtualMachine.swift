import AudioCore
import HostSystem

/// A machine: a clock, and a life that can be interrupted or ended.
public final class VirtualMachine {
    /// What other machines dial; for people too.
    public let name: String
    public let loop: EventLoop
    public private(set) var clock: VirtualClock
    public private(set) var isAlive = true
    private var frozenUntil = TrueTime.start
    /// Until then it neither sends nor receives.
    private(set) var suspendedUntil = TrueTime.start
    /// What its kernel counts as slept.
    private var slept = TimeSpan.zero
    /// What was done to it, from when until when.
    public private(set) var faults: [ClosedRange<TrueTime>] = []
    /// Its hardware: told when it is suspended, before the clock stands still.
    var willSuspend: (() -> Void)?

    public init(name: String, loop: EventLoop, clock: VirtualClock) {
        self.name = name
        self.loop = loop
        self.clock = clock
    }

    public var now: HostTime { clock.host(at: loop.now) }

    /// Nothing runs on it for this long; its sound card and its network hardware do.
    public func freeze(for span: TimeSpan) {
        noteFault(lasting: span)
        frozenUntil = max(frozenUntil, loop.now + span)
    }

    /// Both clocks by which a machine knows that it slept.
    var sleepReading: SleepReading {
        let now = now
        return SleepReading(
            before: now.nanoseconds, boottime: (now + slept).nanoseconds, after: now.nanoseconds)
    }

    /// It sleeps for this long: nothing runs on it, its sound card and network are without power, and its monotonic
    /// clock has not moved when it wakes.
    /// - Parameter isToldByKernel: false for a virtual machine that its host put away: nothing on it can tell.
    public func suspend(for span: TimeSpan, isToldByKernel: Bool = true) {
        willSuspend?()
        if isToldByKernel { slept += span }
        freeze(for: span)
        suspendedUntil = max(suspendedUntil, loop.now + span)
        // Nobody reads the clock meanwhile; that it steps at the end keeps what others made of it until then true.
        clock.step(by: .zero - span, at: loop.now + span)
    }

    public var isSuspended: Bool { loop.now < suspendedUntil }

    /// Its clock is put forward, or back, at once: a virtual machine that was moved.
    public func stepClock(by span: TimeSpan) {
        noteFault(lasting: .zero)
        clock.step(by: span, at: loop.now)
    }

    func noteFault(lasting span: TimeSpan) { faults.append(loop.now...loop.now + span) }

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
