import Synchronization
import TuttiRuntime
import WebRemote

/// The page for browsers beside a broadcast of this process.
final class PagePresence: Sendable {
    private let broadcaster: Broadcaster
    private let options: WebOptions
    private let guests: GuestFile
    private let identity: Identity
    private let state = Mutex(State.waiting)

    ///     waiting ──the broadcast is there──▶ served ──▶ over
    private enum State {
        case waiting
        case served(WebRemote)
        case over
    }

    /// Returns nil where the user wants none, or there is no place to keep guests in.
    init?(of broadcaster: Broadcaster, _ options: WebOptions?, _ broadcast: BroadcastOptions, _ identity: Identity) {
        guard var options, let guests = GuestFile.standard() else { return nil }
        options.acceptsSongs = broadcast.acceptsSongs
        options.access = broadcast.network.access
        options.localSockets = broadcast.network.localSockets
        (self.broadcaster, self.options, self.guests, self.identity) = (broadcaster, options, guests, identity)
    }

    /// Takes what happens in the session: the page begins with the broadcast, and not before it is known that there is
    /// one.
    /// - Parameter emit: called for every notice, on any thread.
    func take(_ event: RuntimeEvent, _ emit: @escaping @Sendable (WebNotice) -> Void) {
        guard case .broadcast = event, state.withLock({ if case .waiting = $0 { true } else { false } }) else { return }
        let remote = WebRemote(
            broadcaster: broadcaster, options: options, guests: guests, identity: identity
        ) { [broadcaster] notice in
            switch notice {
            case .listening(let location, _): broadcaster.notePage(location)
            case .renewed(let location): broadcaster.notePage(location)
            case .closed, .unavailable: broadcaster.notePage(nil)
            case .joined, .left, .suspicious, .guestsUnreadable, .certificateDoubtful, .certificateUnusable: break
            }
            emit(notice)
        }
        let isWanted = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .served(remote)
            return true
        }
        if isWanted { remote.start() }
    }

    func end() {
        let ended = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .served(let remote) = ended { remote.stop() }
    }

    /// Where others find it; nil while it is nowhere. In a household it takes a code besides.
    var address: PageAddress? {
        guard case .served(let remote) = state.withLock({ $0 }) else { return nil }
        return remote.location.map { PageAddress.best($0) }
    }
}
