import Controlling
import Glibc
import Synchronization
import TuttiRuntime
import WebRemote
import struct WireProtocol.PageLocation

/// The pages of the broadcasts that run on this machine, and of the one that may run next.
enum OwnPage {
    /// In a household a page opens a moment after there is a guest: so often it is looked for, with a pause between.
    private static let attempts = 5
    private static let pauseMicroseconds: UInt32 = 500_000

    /// Returns where they are; none if nothing is broadcast here, or no broadcast has a page.
    static func locations() -> [PageLocation] {
        let identity: Identity
        do throws(RuntimeFailure) { identity = try SessionRunner.identity() } catch { return [] }
        for attempt in 0..<attempts {
            if attempt > 0 { usleep(pauseMicroseconds) }
            let sockets = LocalSocketDirectory.broadcastSockets()
            guard !sockets.isEmpty else { return [] }
            var pages: [PageLocation] = []
            // A broadcast may have several sockets.
            for page in sockets.compactMap({ location(at: $0, for: identity) }) where !pages.contains(page) {
                pages.append(page)
            }
            if !pages.isEmpty { return pages }
        }
        return []
    }

    /// Returns where the page is of the broadcast that has this socket.
    private static func location(at socket: String, for identity: Identity) -> PageLocation? {
        var options = ControlOptions([.state])
        options.localSockets = LocalSocketDirectory.searched
        options.reach = .socket(socket)
        let found = Mutex<PageLocation?>(nil)
        do throws(RuntimeFailure) {
            try Controller(options: options, identity: identity).run { answer in
                if case .state(let state, _) = answer { found.withLock { $0 = state.page } }
            }
        } catch { return nil }
        return found.withLock { $0 }
    }

    /// Returns where the page of a broadcast would be that is begun as the configuration says.
    static func expected(by layers: ConfigurationLayers = .load()) -> PageLocation {
        let words = [BroadcastCommand.idle.name]
        let broadcast = try? ConfiguredCommand<BroadcastCommand>(words, layers).command
        let port = broadcast?.page?.port ?? WebOptions.standardPort
        guard let files = broadcast?.certificate else { return PageLocation(port: port) }
        // Whoever lets guests in need not be allowed to read the broadcaster's key.
        let scheme = (try? PageCertificate(files))?.scheme ?? .https(name: nil)
        return PageLocation(port: port, scheme: scheme)
    }
}
