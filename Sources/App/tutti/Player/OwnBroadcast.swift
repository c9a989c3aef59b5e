import AudioCore
import DesktopRemote
import HostSystem
import PlayerScreen
import Synchronization
import TuttiRuntime
import WebRemote

/// A broadcast of the player's own process: it plays on this machine's loudspeakers and on those of all who join.
///
/// Without a sound card it goes on for the others. Runs on a thread of its own.
final class OwnBroadcast: Sendable {
    /// What the user chose for it.
    struct Options: Sendable {
        /// Of its loudspeakers; nil for the default device, if there is one.
        var output: OutputSelection?
        var page = WebOptions()
    }

    private enum Phase {
        case starting
        case answers
        case over(RuntimeFailure?)
    }

    private struct State {
        var phase = Phase.starting
        var broadcaster: Broadcaster?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let wake: WakeSignal
    private let thread = Mutex<HostThread?>(nil)

    init(_ options: Options, identity: Identity, inbox: PlayerInbox) throws(RuntimeFailure) {
        do throws(DescriptorError) {
            wake = try WakeSignal()
        } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
        do throws(HostThreadError) {
            let thread = try HostThread(name: "tutti broadcast") { self.run(options, identity, inbox) }
            self.thread.withLock { $0 = thread }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// Why it is over, if it is.
    var failure: RuntimeFailure? {
        state.withLock { if case .over(let failure) = $0.phase { failure } else { nil } }
    }

    func stop() {
        let broadcaster = state.withLock { state in
            state.isStopped = true
            return state.broadcaster
        }
        broadcaster?.stop()
    }

    func join() { thread.withLock { $0 }?.join() }

    /// Waits until it takes commands, or is over.
    func waitUntilItAnswers() {
        while state.withLock({ if case .starting = $0.phase { true } else { false } }) {
            wake.wait(atMost: .seconds(1))
        }
    }

    private func run(_ chosen: Options, _ identity: Identity, _ inbox: PlayerInbox) {
        var failure = play(chosen.output ?? .device(name: "default"), chosen.page, identity, inbox)
        if chosen.output == nil, let first = failure, first.kind == .unavailable {
            inbox.post(.note("\(first.sentence): only others hear it"))
            failure = play(nil, chosen.page, identity, inbox)
        }
        let isAsked = state.withLock { state in
            state.phase = .over(failure)
            return state.isStopped
        }
        wake.signal()
        // Also where the desktop ended it: without it there is nothing to show.
        if !isAsked { inbox.post(.end(failure)) }
    }

    /// - Returns: why it could not begin or not go on.
    private func play(
        _ output: OutputSelection?, _ web: WebOptions, _ identity: Identity, _ inbox: PlayerInbox
    ) -> RuntimeFailure? {
        var options = BroadcastOptions()
        options.output = output
        // Its own loudspeakers are no listener that could be waited for.
        options.start = output == nil ? .whenReady(listeners: 1) : .now
        options.staysIdle = true
        options.acceptsSongsOfHousehold = true
        options.network.localSockets = [.standard]
        options.memory = MemoryStore.standard()
        options.pins = PinFile.standard()
        options.lookups = ProgramLookups.ofThisProgram()
        let broadcaster = Broadcaster(options: options, identity: identity)
        let isStopped = state.withLock { state in
            state.broadcaster = broadcaster
            return state.isStopped
        }
        guard !isStopped else { return nil }
        let desktop = DesktopPresence.of(broadcaster, DesktopRemote.Uses(isCommanded: true, notifies: false))
        desktop?.begin { inbox.post(.note($0)) }
        defer { desktop?.end() }
        let page = PagePresence(of: broadcaster, web, options, identity)
        defer { page?.end() }
        let plays = PlayRecorder { inbox.post(.note($0)) }
        defer { plays.end() }
        do throws(RuntimeFailure) {
            _ = try broadcaster.run { event in
                desktop?.take(event)
                plays.take(event)
                page?.take(event) { if $0.level != .detail { inbox.post(.note($0.sentence)) } }
                self.take(event, inbox)
            }
            return nil
        } catch {
            return error
        }
    }

    private func take(_ event: RuntimeEvent, _ inbox: PlayerInbox) {
        switch event {
        case .broadcast:
            let isFirst = state.withLock { state in
                guard case .starting = state.phase else { return false }
                state.phase = .answers
                return true
            }
            if isFirst { wake.signal() }
        case .notice(let notice): if notice.level != .detail { inbox.post(.note(notice.sentence)) }
        case .listening, .playing: break
        }
    }
}
