import AudioQueueServices
import HostSystem
import Synchronization

/// Commands and events from other threads, which wake the player's thread.
final class PlayerInbox: Sendable {
    private struct State {
        var isStopped = false
        var commands: [PlayerCommand] = []
        var events: [OutputQueueEvent] = []
    }

    private let state = Mutex(State())
    let wake: WakeSignal

    init() throws(RuntimeFailure) {
        do throws(DescriptorError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    var isStopped: Bool { state.withLock(\.isStopped) }

    func post(_ command: PlayerCommand) {
        state.withLock { state in
            // The limit is for a key that is held down while the player is busy.
            if state.commands.count < 64 { state.commands.append(command) }
        }
        wake.signal()
    }

    func post(_ event: OutputQueueEvent) {
        state.withLock { $0.events.append(event) }
        wake.signal()
    }

    /// The oldest; those behind one that ends a song are the next song's.
    func takeCommand() -> PlayerCommand? {
        state.withLock { $0.commands.isEmpty ? nil : $0.commands.removeFirst() }
    }

    func takeEvents() -> [OutputQueueEvent] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}
