import AudioCore
import Glibc
import HostSystem
import Synchronization

/// A player on the desktop's session bus, by MPRIS 2.2: media keys, panels, lock screens and `playerctl` show it and
/// command it. Where there is no session bus it does nothing.
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
    private let handler: @Sendable (RemoteCommand) -> Void

    /// Whether there is a session bus.
    public static var isPossible: Bool { SessionBus.isThere }

    /// - Parameters:
    ///   - identity: the player's name for people.
    ///   - opensSongs: whether it plays songs by their URLs.
    ///   - handler: called for each command, on the remote's thread.
    /// - Throws: if the process has no file descriptor or no thread left.
    public init(
        identity: String, opensSongs: Bool, _ handler: @escaping @Sendable (RemoteCommand) -> Void
    ) throws(DesktopRemoteError) {
        self.handler = handler
        do throws(WakeSignalError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
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
        var model = model
        let name = "\(MPRIS.root).tutti"
        // Several players of one user (specification, "Bus Name Policy").
        guard let bus = SessionBus.open(names: [name, "\(name).instance\(getpid())"]), let descriptor = bus.descriptor
        else { return }
        while true {
            let (status, isStopped) = state.withLock { state in (state.status.take(), state.isStopped) }
            if isStopped { return }
            if let status { for signal in model.take(status, now: .now()) { bus.emit(signal) } }
            let isThere = bus.serve { interface, method, arguments in
                let (answer, command) = model.answer(interface, method, arguments, now: .now())
                if let command { handler(command) }
                return answer
            }
            guard isThere else { return }
            wake.wait(atMost: nil, orReadable: descriptor)
        }
    }
}

public enum DesktopRemoteError: Error, Hashable {
    /// Of threads or file descriptors; an `errno`.
    case outOfResources(code: Int32)
}
