import AudioCore
import Glibc
import HostSystem
import Synchronization

/// A player on the desktop's session bus, by MPRIS 2.2: media keys, panels, lock screens and `playerctl` show it and
/// command it. It may also show a notification of each song that begins. Where there is no session bus it does nothing.
///
/// Runs on a thread of its own. The bus is told of what changes, and never of a position: whoever shows that counts.
public final class DesktopRemote: Sendable {
    private struct State {
        var status: RemoteStatus?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let wake: WakeSignal
    private let thread = Mutex<HostThread?>(nil)
    private let uses: Uses
    private let onMissingNotifications: @Sendable () -> Void
    private let handler: @Sendable (RemoteCommand) -> Void

    /// What it is for.
    public struct Uses: Hashable, Sendable {
        /// Whether the desktop shows the player and commands it.
        public var isCommanded: Bool
        /// Whether there is a notification of each song that begins to sound.
        public var notifies: Bool

        public init(isCommanded: Bool, notifies: Bool) {
            self.isCommanded = isCommanded
            self.notifies = notifies
        }
    }

    /// Whether there is a session bus.
    public static var isPossible: Bool { SessionBus.isThere }

    /// - Parameters:
    ///   - identity: the player's name for people.
    ///   - opensSongs: whether it plays songs by their URLs.
    ///   - onMissingNotifications: called once, on the remote's thread, if nothing there shows notifications.
    ///   - handler: called for each command, on the remote's thread.
    /// - Throws: if the process has no file descriptor or no thread left.
    public init(
        identity: String, opensSongs: Bool, uses: Uses,
        onMissingNotifications: @escaping @Sendable () -> Void,
        _ handler: @escaping @Sendable (RemoteCommand) -> Void
    ) throws(DesktopRemoteError) {
        self.uses = uses
        self.onMissingNotifications = onMissingNotifications
        self.handler = handler
        do throws(DescriptorError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
        do throws(HostThreadError) {
            let thread = try HostThread(name: "tutti desktop") {
                self.run(RemoteModel(identity: identity, opensSongs: opensSongs))
            }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .outOfResources(code: error.code)
        }
    }

    /// Says what the player does now, as often as it likes. Any thread may call it; never blocks for long.
    public func show(_ status: RemoteStatus) {
        state.withLock { $0.status = status }
        wake.signal()
    }

    /// Leaves the bus, and waits until that is done, but not for a bus that hangs.
    public func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
        _ = thread.withLock { $0.take() }?.join(atMost: .seconds(1))
    }

    private func run(_ model: RemoteModel) {
        guard let bus = SessionBus.open(names: uses.isCommanded ? Self.names : []), let descriptor = bus.descriptor
        else {
            if uses.notifies { onMissingNotifications() }
            return
        }
        // Nobody finds a player without a name, nor commands it. Notifications need none.
        let isCommanded = bus.isNamed
        guard isCommanded || uses.notifies else { return }
        var (model, notifier) = (model, SongNotifier())
        /// The serial number of the call that the notifier waits for.
        var awaited: UInt32?
        while true {
            let (status, isStopped) = state.withLock { state in (state.status.take(), state.isStopped) }
            if isStopped { return }
            if let status, isCommanded { for signal in model.take(status, now: .now()) { bus.emit(signal) } }
            if let status, uses.notifies, let call = notifier.take(status, now: .now()) { awaited = bus.call(call) }
            var reply: SongNotifier.Reply?
            let isThere = bus.serve { interface, method, arguments in
                guard isCommanded else { return .error(.unknownMethod, "nothing is offered here") }
                let (answer, command) = model.answer(interface, method, arguments, now: .now())
                if let command {
                    model.note(command, now: .now())
                    handler(command)
                }
                return answer
            } onReply: { serial, came in
                if serial == awaited { reply = came }
            }
            guard isThere else { return }
            if let reply {
                awaited = notifier.take(reply, now: .now()).map { bus.call($0) }
                if notifier.takeMissing() { onMissingNotifications() }
                // To send may read, too: see what came.
                continue
            }
            wake.wait(atMost: nil, orReadable: descriptor)
        }
    }

    /// Several players of one user (specification, "Bus Name Policy").
    private static var names: [String] {
        let name = "\(MPRIS.root).tutti"
        return [name, "\(name).instance\(getpid())"]
    }
}

public enum DesktopRemoteError: Error, Hashable {
    /// Of threads or file descriptors; an `errno`.
    case outOfResources(code: Int32)
}
