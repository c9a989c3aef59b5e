import AudioCore
import HostSystem

/// How long ``waitUntil(within:_:)`` does not look.
private let pause = TimeSpan.milliseconds(5)

/// Looks again and again until something is so: for what tells nobody that it changed. For what does there are
/// ``Monitor`` and `AsyncStream`.
/// - Returns: whether it came to be so in time.
public func waitUntil(within span: TimeSpan, _ isSo: () throws -> Bool) rethrows -> Bool {
    let deadline = HostTime.now() + span
    while !(try isSo()) {
        guard HostTime.now() < deadline else { return false }
        sleepThread(for: pause)
    }
    return true
}

/// The same, asleep and not blocked: tests that run at the same time share few threads.
public func waitUntil(within span: TimeSpan, _ isSo: () async throws -> Bool) async throws -> Bool {
    let deadline = HostTime.now() + span
    while !(try await isSo()) {
        guard HostTime.now() < deadline else { return false }
        try await Task.sleep(for: .nanoseconds(pause.nanoseconds))
    }
    return true
}
