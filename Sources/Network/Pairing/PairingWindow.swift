import AudioCore

/// When a newcomer may be let in: the codes that it shows, and who may try them.
///
/// A code holds for one try, or for ``PairingLimits/codeLifetime``; then another one is shown. After
/// ``PairingLimits/failureCount`` failures the window closes until it is opened again. One try runs at a time.
///
///     closed ──open──▶ offering ──begin──▶ trying ──success──▶ closed
///                        ▲  └─ expired: another code  │
///                        └──────── failure ───────────┘──third failure──▶ closed
///
/// Reads no clock: times are arguments, and ``nextDeadline`` says when to call ``expire(now:)``.
/// - `Party`: says who tried, for the line that names it.
public struct PairingWindow<Party: Hashable & Sendable>: Sendable {
    /// What the owner does.
    public enum Action: Sendable {
        /// Show this code, in place of any before.
        case show(PairingCode)
        /// Tell that this party failed. Its exchange ends.
        case failed(Party, remainingFailures: Int)
        /// Tell that this party's code was right.
        case succeeded(Party)
        /// Tell that nobody can pair until it is asked for again.
        case closed(Closing)
    }

    public enum Closing: Hashable, Sendable {
        case paired, tooManyFailures, cancelled
    }

    /// Why somebody may not try.
    public enum Refusal: Error, Hashable, Sendable {
        /// Nobody asked for pairing on this machine, or not again after three failures.
        case closed
        /// Somebody else is trying.
        case busy
        /// The code's time is up, and another one is not shown yet.
        case expired
    }

    private enum State {
        case closed
        case offering(PairingCode, until: HostTime, failures: Int)
        case trying(Party, until: HostTime, failures: Int)
    }

    private var state = State.closed

    public init() {}

    public var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    /// When ``expire(now:)`` has something to do.
    public var nextDeadline: HostTime? {
        switch state {
        case .closed: nil
        case .offering(_, let until, _), .trying(_, let until, _): until
        }
    }

    /// Opens the window, with a new code and no failures, whatever was before. A try that still runs no longer counts.
    public mutating func open(now: HostTime) -> [Action] { offer(failures: 0, now: now) }

    public mutating func close() -> [Action] {
        guard isOpen else { return [] }
        state = .closed
        return [.closed(.cancelled)]
    }

    /// Lets somebody try, and uses the code up.
    /// - Returns: the code for its ``PairingExchange``.
    public mutating func begin(_ party: Party, now: HostTime) throws(Refusal) -> PairingCode {
        switch state {
        case .closed: throw .closed
        case .trying: throw .busy
        case .offering(let code, let until, let failures):
            guard now < until else { throw .expired }
            state = .trying(party, until: now + PairingLimits.attemptTimeout, failures: failures)
            return code
        }
    }

    /// Takes note how a try ended; a connection that ended within it has failed. Means nothing for a party that is not
    /// trying.
    public mutating func end(_ party: Party, isSuccess: Bool, now: HostTime) -> [Action] {
        guard case .trying(party, _, let failures) = state else { return [] }
        guard !isSuccess else {
            state = .closed
            return [.succeeded(party), .closed(.paired)]
        }
        return fail(party, failures: failures + 1, now: now)
    }

    /// Does what is due.
    public mutating func expire(now: HostTime) -> [Action] {
        switch state {
        case .offering(_, let until, let failures) where now >= until: offer(failures: failures, now: now)
        case .trying(let party, let until, let failures) where now >= until:
            fail(party, failures: failures + 1, now: now)
        default: []
        }
    }

    private mutating func fail(_ party: Party, failures: Int, now: HostTime) -> [Action] {
        let told = Action.failed(party, remainingFailures: PairingLimits.failureCount - failures)
        guard failures < PairingLimits.failureCount else {
            state = .closed
            return [told, .closed(.tooManyFailures)]
        }
        return [told] + offer(failures: failures, now: now)
    }

    private mutating func offer(failures: Int, now: HostTime) -> [Action] {
        let code = PairingCode.random()
        state = .offering(code, until: now + PairingLimits.codeLifetime, failures: failures)
        return [.show(code)]
    }
}
