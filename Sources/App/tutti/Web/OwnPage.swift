import Controlling
import Glibc
import Synchronization
import TuttiRuntime
import struct WireProtocol.PageLocation

/// The page of the broadcast that runs on this machine.
enum OwnPage {
    /// In a household a page opens a moment after there is a guest: so often it is looked for, with a pause between.
    private static let attempts = 5
    private static let pauseMicroseconds: UInt32 = 500_000

    /// Returns where it is; nil if nothing is broadcast here, or the broadcast has no page, or there are several.
    static func location() -> PageLocation? {
        let identity: Identity
        do throws(RuntimeFailure) { identity = try SessionRunner.identity() } catch { return nil }
        for attempt in 0..<attempts {
            if attempt > 0 { usleep(pauseMicroseconds) }
            switch presence(for: identity) {
            case .none: return nil
            case .broadcast(let page?): return page
            case .broadcast(nil): continue
            }
        }
        return nil
    }

    private enum Presence {
        case none
        case broadcast(PageLocation?)
    }

    private static func presence(for identity: Identity) -> Presence {
        var options = ControlOptions([.state])
        options.localSockets = LocalSocketDirectory.searched
        options.reach = .thisMachine
        let found = Mutex(Presence.none)
        do throws(RuntimeFailure) {
            try Controller(options: options, identity: identity).run { answer in
                if case .state(let state, _) = answer { found.withLock { $0 = .broadcast(state.page) } }
            }
        } catch { return .none }
        return found.withLock { $0 }
    }
}
