import AudioCore
import Controlling
import HostSystem
import NIOCore
import NIOPosix
import Synchronization
import TuttiRuntime
import WebServer
import WireProtocol

/// The page for browsers of one broadcast of this process: `tutti broadcast` starts it beside the broadcast.
///
/// In open mode it is there for everybody on the network. In a household it is there only while somebody has a code
/// that is good (``GuestStore``), and only for them. It has two event loops, the
/// server's and that of streams, and two threads of its own.
public final class WebRemote: Sendable {
    private enum State {
        case idle
        case running(Run)
        case over
    }

    /// What runs between `start` and `stop`.
    private struct Run: Sendable {
        let group: MultiThreadedEventLoopGroup
        let site: Site
        let port: PagePort
        let follower: BroadcastFollower
        let watch: StoreWatch
        /// Nil where there is none to be renewed.
        let renewal: CertificateWatch?
    }

    private let broadcaster: Broadcaster
    private let options: WebOptions
    private let guests: any GuestStore
    private let identity: Identity
    private let emit: @Sendable (WebNotice) -> Void
    private let state = Mutex(State.idle)

    /// - Parameters:
    ///   - broadcaster: it must offer a local socket (``NetworkOptions/localSockets``) in one of the options'.
    ///   - identity: the broadcaster's.
    ///   - emit: called for every notice, one call at a time, never on the caller's thread but during `start`.
    public init(
        broadcaster: Broadcaster, options: WebOptions, guests: any GuestStore, identity: Identity,
        emit: @escaping @Sendable (WebNotice) -> Void
    ) {
        self.broadcaster = broadcaster
        self.options = options
        self.guests = guests
        self.identity = identity
        self.emit = emit
    }

    /// Where the page is now; nil while it is nowhere.
    public var location: PageLocation? {
        state.withLock { if case .running(let run) = $0 { run.port.location } else { nil } }
    }

    /// Begins to serve the page, before the broadcast runs or after that. Does not wait. A notice tells of failures.
    public func start() {
        for warning in options.certificate?.warnings ?? [] { emit(.certificateDoubtful(warning)) }
        do throws(StartFailure) {
            let run = try makeRun()
            let isFirst = state.withLock { state in
                guard case .idle = state else { return false }
                state = .running(run)
                return true
            }
            if !isFirst { Self.end(run) }
        } catch {
            emit(.unavailable(error.text))
        }
    }

    /// Ends it: sockets are told so, and closed. Waits until it has ended. Nothing begins again.
    public func stop() {
        let former = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .running(let run) = former { Self.end(run) }
    }

    private struct StartFailure: Error {
        let text: String
    }

    private func makeRun() throws(StartFailure) -> Run {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        do {
            return try makeRun(group)
        } catch {
            group.end()
            throw StartFailure(text: "the process has no room for its threads: end other programs, and try again")
        }
    }

    private func makeRun(_ group: MultiThreadedEventLoopGroup) throws -> Run {
        let (loop, streamLoop) = (RunningLoop(group.next()), RunningLoop(group.next()))
        var own = identity
        // Another process, as far as the broadcast is concerned.
        own.instance = .random(in: 1...(.max))
        // Who asks, in the broadcast's log: for all that pages ask.
        own.name = "the page"
        let core = SiteCore(loop: loop.loop)
        let follower = try BroadcastFollower(identity: own, localSockets: options.localSockets) { news in
            loop.execute { core.take(news) }
        }
        let emit = emit
        let watch = try StoreWatch(guests, identity.household) { reading in
            loop.execute { core.take(reading) }
        } fail: { message in
            loop.execute { emit(.guestsUnreadable(message)) }
        }
        let desk = BroadcastDesk { [weak follower] request in follower?.request(request) }
        let site = Site(
            running: loop, desk: desk, isInHousehold: identity.household?.household != nil,
            parts: Site.Parts(
                connector: BroadcasterConnector(broadcaster: broadcaster),
                sender: LocalSongSender(identity: own, localSockets: options.localSockets),
                policy: options.access, acceptsSongs: options.acceptsSongs, name: identity.name, emit: emit,
                streamLoop: streamLoop))
        let server = WebServer(
            loop: loop.loop, site: site, names: options.names, certificate: options.certificate?.certificate)
        let port = PagePort(loop: loop.loop, server: server, options: options, emit: emit)
        core.begin(site, port)
        let renewal = try options.certificate.map { certificate in
            try CertificateWatch(certificate) { reading in loop.execute { core.take(reading) } }
        }
        try follower.start()
        do {
            try watch.start()
            try renewal?.start()
        } catch {
            watch.stop()
            follower.stop()
            throw error
        }
        return Run(group: group, site: site, port: port, follower: follower, watch: watch, renewal: renewal)
    }

    private static func end(_ run: Run) {
        run.renewal?.stop()
        run.watch.stop()
        run.follower.stop()
        let site = run.site
        try? run.port.shutDown().hop(to: site.loop).flatMap { site.shutDown() }.wait()
        run.group.end()
    }
}

/// What follower, store and time tell the site. Confined to its loop.
private final class SiteCore {
    private static let interval = TimeAmount.milliseconds(500)

    private let loop: any EventLoop
    private var parts: (site: Site, port: PagePort)?

    init(loop: any EventLoop) { self.loop = loop }

    /// From any thread, before anything else.
    func begin(_ site: Site, _ port: PagePort) {
        loop.execute {
            self.parts = (site, port)
            self.keepTime()
        }
    }

    private func keepTime() {
        loop.scheduleTask(in: Self.interval) {
            self.parts?.site.tick()
            self.judge()
            self.keepTime()
        }
    }

    func take(_ news: FollowerNews) {
        guard let desk = parts?.site.desk else { return }
        switch news {
        case .answer(let answer): desk.take(answer, now: .now())
        case .lost(let reason): desk.lose(reason)
        }
    }

    func take(_ reading: StoreWatch.Reading) {
        parts?.site.take(reading.guests, isInHousehold: reading.isInHousehold)
        judge()
    }

    func take(_ reading: CertificateWatch.Reading) {
        guard let port = parts?.port else { return }
        switch reading {
        case .renewed(let certificate): port.renew(certificate)
        case .unusable(let reason): port.keepCertificate(reason)
        }
    }

    /// Opens the port, or closes it, as the house wants it.
    private func judge() {
        guard let parts else { return }
        parts.port.open(parts.site.isWanted)
    }
}

// Confined to the loop: whatever comes from elsewhere is brought there.
extension SiteCore: @unchecked Sendable {}
